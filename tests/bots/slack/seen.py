"""What a reader sees of a message, read from its blocks without the code that made them."""

from slack_sdk.models.blocks import Block

from bots.outline import Bullets, Code, Heading, Link, Paragraph
from bots.slack import limits
from bots.text import clean, is_visible
from sandbox.slack.limits import blocks_problems, too_long


def faults(message):
    """What Slack would refuse, new or as the bot's own message that becomes the answer: by our limits, by the
    sandbox's, which know nothing of them, and by the models of Slack's own library.
    """
    blocks = message["blocks"]
    payload = {"channel": "C1", "text": message["text"], "blocks": blocks}
    ours = limits.check("chat.postMessage", payload) + limits.check("chat.update", {**payload, "ts": "1.2"})
    for block in Block.parse_all(blocks):
        block.validate_json()  # raises
    return ours + blocks_problems(blocks) + (["too long"] if too_long(blocks) else [])


def lines(block):
    """The visible text of a block, its paragraphs, items, cells and pieces of code as strings."""
    kind = block["type"]
    if kind == "header":
        return [block["text"]["text"]]
    if kind == "context":
        return [one["text"] for one in block["elements"]]
    if kind == "actions":
        return []
    if kind == "table":
        return [_cell(cell) for row in block["rows"] for cell in row]
    assert kind == "rich_text"
    return [line for element in block["elements"] for line in _element(element)]


def text(messages):
    """All that is to be read in messages, without the lines that count them."""
    told = [line for message in messages for block in message["blocks"] for line in lines(block)]
    return "\n".join(line for line in told if not line.startswith("(continued, part "))


def elements(messages, kind):
    """Elements of rich text of one kind, in order."""
    blocks = [block for message in messages for block in message["blocks"] if block["type"] == "rich_text"]
    return [one for block in blocks for one in block["elements"] if one["type"] == kind]


def written(outline):
    """All visible text of an outline, in order."""
    for block in outline:
        if isinstance(block, Heading):
            yield _seen(clean(block.text).replace("\n", " "))
        elif isinstance(block, Code):
            yield _seen(clean(block.text).rstrip("\n"))
        elif isinstance(block, Paragraph):
            yield _told(block.spans)
        elif isinstance(block, Bullets):
            yield from map(_told, block.items)
        else:
            if any(is_visible(clean(name)) for name in block.header):
                yield from map(clean, block.header)
            for row in block.rows:
                if any(map(is_visible, map(_told, row))):
                    yield from map(_told, row)


def _told(some):
    told = "".join(
        clean(span.locator.label) if isinstance(span, Link) and not is_visible(clean(span.text)) else clean(span.text)
        for span in some
    )
    return _seen(told)


def _seen(told):
    return told if is_visible(told) else ""


def nodes(part):
    """Every mapping in a payload."""
    if isinstance(part, dict):
        yield part
        for value in part.values():
            yield from nodes(value)
    elif isinstance(part, list):
        for value in part:
            yield from nodes(value)


def _cell(cell):
    if cell["type"] == "raw_text":
        return cell["text"]
    return "".join(line for element in cell["elements"] for line in _element(element))


def _element(element):
    if element["type"] == "rich_text_list":
        return ["".join(one["text"] for one in item["elements"]) for item in element["elements"]]
    return ["".join(one["text"] for one in element["elements"])]
