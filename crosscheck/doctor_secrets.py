"""Whether the secrets' files are for this process alone."""

import os
from collections.abc import Mapping

from crosscheck.checks import Check
from crosscheck.secrets_from import FOLDER, folder_in, open_to_all


def secrets_checks(environment: Mapping[str, str] | None = None) -> list[Check]:
    """Nothing where no folder of secrets is named."""
    folder = folder_in(os.environ if environment is None else environment)
    if folder is None:
        return []
    try:
        found = open_to_all(folder)
    except OSError as error:
        return [Check("secrets", "failed", f"{error.filename or folder}: {error.strerror}.", f"Check {FOLDER}.")]
    if not found:
        return [Check("secrets", "ok", f"read from {folder}")]
    files = f"{found[0]} can" if len(found) == 1 else f"{found[0]} and {len(found) - 1} more can"
    return [
        Check(
            "secrets",
            "warning",
            f"{folder}: {files} be read by every account there.",
            "Make them 0400 (Kubernetes: defaultMode: 0400; Docker: mode: 0400 with the uid).",
        )
    ]
