"""Questions whose sources are known, and how well answers cite them."""
