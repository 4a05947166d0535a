"""Hostile bytes for every parser of what strangers write; see CONTRIBUTING.md."""
