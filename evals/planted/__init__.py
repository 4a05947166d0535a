"""Tickets over the make-believe company whose gaps are known, and how many of them a review tells."""
