"""One small client for each kind of host of repositories, behind `core.pulls.types.Host`."""
