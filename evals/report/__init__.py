"""A run as pages to read: HTML and Markdown, with plots."""
