"""Texts as vectors: dense ones for meaning, sparse ones for words."""
