"""What became of findings: which people accepted, by reactions, replies and edits of the ticket afterwards."""
