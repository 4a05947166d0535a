"""The Jira surface: Cloud over REST v3, Data Center over REST v2."""
