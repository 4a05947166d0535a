"""Where chunks are kept with their vectors."""
