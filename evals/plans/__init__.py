"""How often a check of a plan names a source that matters, and stays silent where nothing does."""
