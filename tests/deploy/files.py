"""Where the files of deploy/ are, and the tools that read them."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PINNED = r"(?:[a-z0-9.-]+/)*(?:[a-z0-9-]+:v?\d+\.\d+|postgres:\d+)\.\d+(?:-[a-z]+)*"
"""An image by a whole version: never `latest`, never a tag that moves. PostgreSQL's versions have two parts."""


def tool(name: str, *arguments: str | Path, environment: Mapping[str, str] | None = None) -> str:
    """What a tool of the dev extra prints; it must end well."""
    path = shutil.which(name, path=str(Path(sys.executable).parent))
    assert path, f"{name} is not beside {sys.executable}: install the dev extra"
    done = subprocess.run((path, *arguments), env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
