"""Who uses a name: how each kind of it is spelled, and which lines of code, settings and documentation mean it."""
