"""What the tests of the Confluence connector share."""

from core.connectors.attachments import Attachments
from core.connectors.confluence import ConfluenceConnector
from core.parsing.parsed import Parsed, Picture
from core.types import Place
from tests.core.connectors.conftest import QUICK

MARK = "\N{OBJECT REPLACEMENT CHARACTER}1"


class Reading:
    """Reads every file as its first line, and a picture as a mark; remembers what it was given."""

    def __init__(self):
        self.names = []

    def __call__(self, name, data):
        self.names.append(name)
        if name.endswith(".png"):
            return Parsed(f"before {MARK} after", pictures=(Picture("login.png", "image/png", data, MARK),))
        return Parsed(data.decode("latin-1").split("\n")[0], (Place(0, "page 1", "#page=1"),))


def undescribed(parsed):
    text = parsed.text
    for picture in parsed.pictures:
        text = text.replace(picture.mark, f"[picture not read: {picture.name}]")
    unread = (*parsed.unread, *(f"picture not read: {picture.name}" for picture in parsed.pictures))
    return Parsed(text, parsed.places, unread)


def connector(box, flavour, spaces=("POL", "LED"), *, read=None, describe=undescribed, **options):
    files = {name: options.pop(name) for name in ("largest", "refused", "known") if name in options}
    options["attachments"] = Attachments(read, describe, **files) if read else None
    cloud = flavour == "cloud"
    site = box.confluence_url if cloud else box.confluence_data_center_url
    user = box.read_user if cloud else ""
    return ConfluenceConnector("wiki", site, user, box.read_token, spaces, limits=QUICK, **options)


def by_id(documents):
    return {document.id.removeprefix("confluence:"): document for document in documents}
