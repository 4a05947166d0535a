"""What all kinds of Mermaid diagrams share: their texts, and lines that say only how something looks."""

import html
import re

from core.parsing.diagrams.builder import unquoted
from core.parsing.diagrams.labels import plain

# A colon needs a space or nothing before it: `style : red` is a state called style.
_LOOKS = re.compile(
    r"(?:classDef|class|style|linkStyle|cssClass|click|callback|link|links|direction|accTitle|accDescr|title|autonumber"
    r"|activate|deactivate|destroy|properties|details|hide|scale|todayMarker|defaultRenderer)\b"
)
_ICON = re.compile(r"\bfa[a-z]?:fa-[\w-]+ ?")
_ENTITY = re.compile(r"#(\w{1,10});")


def looks_only(line: str) -> bool:
    """Whether a line tells nothing of boxes and arrows. Kinds in which `class` means more ask for that first."""
    return _LOOKS.match(line) is not None


def label(text: str) -> str:
    """A label's words: quotes, backticks, entities (`#quot;`, `#35;`) and HTML undone, icons left out."""
    text = unquoted(text)
    if text.startswith("`") and text.endswith("`"):
        text = text[1:-1]
    return plain(_ICON.sub("", _ENTITY.sub(_character, text)).replace("\\n", " "))


def _character(found: "re.Match[str]") -> str:
    name = found[1]
    return html.unescape(f"&#{name};" if name.isdigit() else f"&{name};")
