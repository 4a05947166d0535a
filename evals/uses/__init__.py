"""Who uses a name: a made-up company's code, with the lines that use each name and those that only look like it."""
