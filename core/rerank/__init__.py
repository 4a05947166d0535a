"""Candidates in a better order: what a model that reads question and text together says of each."""
