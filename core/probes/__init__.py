"""What is deployed: read-only probes of environments, and their answers joined with Git."""
