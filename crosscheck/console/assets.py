"""The files that pages load. htmx comes from the package django-htmx, of which no code is run."""

from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path

from starlette.responses import Response

_HTMX = "django_htmx/static/django_htmx/htmx-2.min.js"
_DAY = 86_400
_HERE = files("crosscheck.console") / "static"


def assets() -> dict[str, tuple[bytes, str]]:
    """Content and media type by name; without `htmx.js` where its package is not installed: pages work without it."""
    found = {name: (_HERE.joinpath(name).read_bytes(), "text/css") for name in ("style.css", "flow.css")}
    script = _installed()
    return found | ({"htmx.js": (script, "text/javascript")} if script else {})


def asset(content: bytes, media: str) -> Response:
    """As the browser keeps it for a day."""
    return Response(content, media_type=media, headers={"Cache-Control": f"private, max-age={_DAY}"})


def _installed() -> bytes | None:
    try:
        return Path(str(distribution("django-htmx").locate_file(_HTMX))).read_bytes()
    except (PackageNotFoundError, FileNotFoundError):
        return None
