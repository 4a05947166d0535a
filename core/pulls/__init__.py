"""Pull requests as they are proposed: found from a ticket, fetched at their head, read without a checkout."""
