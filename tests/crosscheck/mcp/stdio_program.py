"""`crosscheck mcp` with operations of a test: prints what must not reach the client."""

import sys
import time
from collections.abc import Callable
from typing import Any

from crosscheck.mcp.stdio import run_stdio
from tests.crosscheck.mcp.fake import ANSWERS, Operations


def search(asked: dict[str, Any], report: Callable[[dict[str, Any]], None]) -> Any:
    print("printed by an operation")
    report({"step": "search", "name": asked["audience"], "done": 1, "total": None})
    if asked["text"] == "slow":
        time.sleep(60)
    return ANSWERS["search"]


if __name__ == "__main__":
    run_stdio(Operations(search=search), sys.argv[1], version="1.0")
