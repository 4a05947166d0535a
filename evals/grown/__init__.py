"""A retrieval set grown from an installation: tickets and what closed them, and what people thought of answers."""
