"""How many findings people accepted."""
