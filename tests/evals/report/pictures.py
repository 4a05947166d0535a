"""The picture of a report in the documentation: `python -m tests.evals.report.pictures`."""

import tempfile
from pathlib import Path

from evals.report.write import write_report
from tests.crosscheck.console.browser.chromium import person
from tests.crosscheck.console.browser.pictures import FOLDER, LARGEST
from tests.evals.report import made

FILE = FOLDER / "evaluation.png"
_TALL = 3040  # down to the first plot

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home, person(Path(home).as_uri()) as somebody:
        with made.searched(Path(home)) as figures:
            write_report(*made.runs(figures), Path(home) / "report")
        somebody.light()
        somebody.open("/report/index.html")
        somebody.picture(FILE, tallest=_TALL)
    if FILE.stat().st_size > LARGEST:
        raise SystemExit(f"{FILE} has {FILE.stat().st_size} bytes; at most {LARGEST} are wanted.")
