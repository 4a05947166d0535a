"""The Jira surface: Cloud over REST v3."""
