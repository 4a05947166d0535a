"""Candidates, judges and a writer that follow a script, so that a whole run can be tested without a model."""
