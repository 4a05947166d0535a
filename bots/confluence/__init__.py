"""Comments on Confluence pages."""
