"""The Slack surface."""
