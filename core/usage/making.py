"""A name of some kind, as it is looked for."""

from core.errors import BadQuery
from core.usage.columns import ColumnSought
from core.usage.events import EventSought
from core.usage.looking import Looking
from core.usage.routes import RouteSought
from core.usage.settings import SettingSought
from core.usage.sought import Sought
from core.usage.spelling import camel, words
from core.usage.symbols import Definitions, SymbolSought, parts_of
from core.usage.tables import TableSought
from core.usage.types import Kind


def make(kind: Kind, name: str, looking: Looking) -> Sought:
    """BadQuery for a name that cannot be one of this kind."""
    if kind == "route":
        return RouteSought(name)
    owner, last = parts_of(name)
    if not words(name) or not words(last):
        raise BadQuery("There is no word in this name to look for.")
    match kind:
        case "symbol":
            return SymbolSought(Definitions.of(owner, last, looking.defining(last)))
        case "event":
            return EventSought(name)
        case "config":
            return SettingSought(name)
        case "table":
            return TableSought(last)
        case "column":
            names = dict.fromkeys((last, camel(words(last))))
            known = [one for each in names for one in looking.defining(each)]
            return ColumnSought(owner, last, known) if owner else TableSought(last)
