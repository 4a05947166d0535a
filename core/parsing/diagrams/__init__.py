"""Diagrams that are stored as structure, read exactly: no model guesses at them."""
