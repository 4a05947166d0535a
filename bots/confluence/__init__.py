"""The Confluence surface: Cloud over REST v2, Data Center over REST v1."""
