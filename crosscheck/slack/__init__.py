"""Slack put together: from what comes in to jobs, and from jobs to replies."""
