"""How often what no cursor tells is looked for, however often a source is synced."""

from datetime import timedelta

FULL = timedelta(hours=24)
"""Between two complete listings, which find what was deleted where a source cannot tell it before."""
LABELS = timedelta(hours=1)
"""Between two sweeps of the access labels."""
