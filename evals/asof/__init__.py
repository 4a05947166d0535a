"""Knowledge as it was at a moment: tickets, pages, code and records without anything that came later."""
