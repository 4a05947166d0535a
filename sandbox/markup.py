"""Markdown to ADF (Jira) and to storage format (Confluence), from markdown-it's tokens; the dialect is in `records`."""

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from sandbox.adf import CHILDREN, Node, plain

Resolve = Callable[[str], str]
"""`page:ID`, `ticket:KEY` and `repo:...` to a URL; others as they are."""

_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_MENTION = re.compile(r"(?:@\[|\[~)([^\]\s]+)\]")
_TASK = re.compile(r"\[([ xX])\] ")
_MARKS = {"strong": "strong", "em": "em", "s": "strike"}


def parse(text: str) -> SyntaxTreeNode:
    return SyntaxTreeNode(_PARSER.parse(text))


def same(target: str) -> str:
    return target


class ToAdf:
    """Markdown to ADF. `names` gives the display name of a mentioned account."""

    def __init__(self, names: Callable[[str], str] = same, resolve: Resolve = same) -> None:
        self._names = names
        self._resolve = resolve
        self._tasks = 0

    def __call__(self, text: str) -> Node:
        return {"type": "doc", "version": 1, "content": self._blocks(parse(text), "doc")}

    def _blocks(self, parent: SyntaxTreeNode, holder: str) -> list[Node]:
        out: list[Node] = []
        for child in parent.children:
            for block in self._block(child):
                out.extend(fit(block, holder))
        return out

    def _block(self, node: SyntaxTreeNode) -> list[Node]:
        kind = node.type
        if kind == "paragraph":
            return [{"type": "paragraph", "content": self._inline(node)}]
        if kind == "heading":
            return [{"type": "heading", "attrs": {"level": int(node.tag[1])}, "content": self._inline(node)}]
        if kind in {"fence", "code_block"}:
            return [_code(node)]
        if kind == "hr":
            return [{"type": "rule"}]
        if kind == "blockquote":
            inside = self._blocks(node, "blockquote") or [{"type": "paragraph", "content": []}]
            return [{"type": "blockquote", "content": inside}]
        if kind in {"bullet_list", "ordered_list"}:
            return [self._tasks_of(node) or self._list(node)]
        if kind == "table":
            return [{"type": "table", "content": [self._row(row) for part in node.children for row in part.children]}]
        return []

    def _list(self, node: SyntaxTreeNode) -> Node:
        items: list[Node] = []
        for item in node.children:
            content = self._blocks(item, "listItem") or [{"type": "paragraph", "content": []}]
            if content[0]["type"] not in {"paragraph", "codeBlock"}:
                content.insert(0, {"type": "paragraph", "content": []})
            items.append({"type": "listItem", "content": content})
        if node.type == "bullet_list":
            return {"type": "bulletList", "content": items}
        return {"type": "orderedList", "attrs": {"order": int(node.attrs.get("start", 1))}, "content": items}

    def _tasks_of(self, node: SyntaxTreeNode) -> Node | None:
        """A task list, when every item is `[ ]` or `[x]` and one paragraph."""
        found: list[Node] = []
        for item in node.children:
            inline = self._inline(item.children[0]) if len(item.children) == 1 else []
            box = _TASK.match(inline[0].get("text", "")) if inline else None
            if box is None:
                return None
            inline[0]["text"] = inline[0]["text"][box.end() :]
            self._tasks += 1
            state = "TODO" if box[1] == " " else "DONE"
            content = [part for part in inline if part.get("text") != ""]
            attrs = {"localId": f"task-{self._tasks}", "state": state}
            found.append({"type": "taskItem", "attrs": attrs, "content": content})
        return {"type": "taskList", "attrs": {"localId": f"tasks-{self._tasks}"}, "content": found}

    def _row(self, row: SyntaxTreeNode) -> Node:
        cells = [
            {
                "type": "tableHeader" if cell.type == "th" else "tableCell",
                "content": [{"type": "paragraph", "content": self._inline(cell)}],
            }
            for cell in row.children
        ]
        return {"type": "tableRow", "content": cells}

    def _inline(self, block: SyntaxTreeNode) -> list[Node]:
        out: list[Node] = []
        for child in block.children:
            for part in child.children if child.type == "inline" else [child]:
                out.extend(self._part(part, []))
        return _joined(out)

    def _part(self, node: SyntaxTreeNode, marks: list[Node]) -> Iterator[Node]:
        kind = node.type
        if kind == "text":
            yield from self._text(node.content, marks)
        elif kind == "softbreak":
            yield _text(" ", marks)
        elif kind == "hardbreak":
            yield {"type": "hardBreak"}
        elif kind == "code_inline":
            yield _text(node.content, [m for m in marks if m["type"] == "link"] + [{"type": "code"}])
        elif kind == "image":
            href = self._resolve(str(node.attrs.get("src", "")))
            yield _text(node.content or href, [*marks, _link(href)])
        else:
            more = [_link(self._resolve(str(node.attrs.get("href", ""))))] if kind == "link" else []
            more += [{"type": _MARKS[kind]}] if kind in _MARKS else []
            for child in node.children:
                yield from self._part(child, [*marks, *more])

    def _text(self, text: str, marks: list[Node]) -> Iterator[Node]:
        at = 0
        for found in _MENTION.finditer(text):
            yield _text(text[at : found.start()], marks)
            yield {"type": "mention", "attrs": {"id": found[1], "text": "@" + self._names(found[1]), "accessLevel": ""}}
            at = found.end()
        yield _text(text[at:], marks)


def _text(text: str, marks: list[Node]) -> Node:
    return {"type": "text", "text": text, "marks": list(marks)} if marks else {"type": "text", "text": text}


def _link(href: str) -> Node:
    return {"type": "link", "attrs": {"href": href}}


def _code(node: SyntaxTreeNode) -> Node:
    text = node.content.rstrip("\n")
    block: Node = {"type": "codeBlock", "content": [_text(text, [])] if text else []}
    if named := node.info.split():
        block["attrs"] = {"language": named[0]}
    return block


def _joined(parts: list[Node]) -> list[Node]:
    """Neighbouring texts with the same marks are one node; empty ones go."""
    out: list[Node] = []
    for part in parts:
        if part.get("text") == "":
            continue
        if out and part["type"] == out[-1]["type"] == "text" and part.get("marks") == out[-1].get("marks"):
            out[-1]["text"] += part["text"]
        else:
            out.append(part)
    return out


def fit(block: Node, holder: str) -> list[Node]:
    """The block if its holder may hold it, else what of it does: its own children, or its text."""
    if block["type"] in CHILDREN[holder]:
        return [block]
    if block["type"] == "heading":
        return [{"type": "paragraph", "content": block["content"]}]
    if block["type"] == "blockquote":
        return [piece for inner in block["content"] for piece in fit(inner, holder)]
    text = plain(block)
    return [{"type": "paragraph", "content": [_text(text, [])]}] if text else []


class ToStorage:
    """Markdown to Confluence's storage format. `page` gives title and space key of a `page:ID` target."""

    def __init__(self, page: Callable[[str], tuple[str, str]], resolve: Resolve = same) -> None:
        self._page = page
        self._resolve = resolve

    def __call__(self, text: str) -> str:
        return self._inside(parse(text))

    def _inside(self, node: SyntaxTreeNode) -> str:
        return "".join(self._node(child) for child in node.children)

    def _node(self, node: SyntaxTreeNode) -> str:
        kind = node.type
        if kind == "text":
            return _MENTION.sub(r'<ac:link><ri:user ri:account-id="\1" /></ac:link>', escape(node.content))
        if kind in {"softbreak", "hardbreak"}:
            return "\n" if kind == "softbreak" else "<br />"
        if kind == "code_inline":
            return f"<code>{escape(node.content)}</code>"
        if kind in {"fence", "code_block"}:
            return code_macro(node.info, node.content.rstrip("\n"))
        if kind == "hr":
            return "<hr />"
        if kind == "link":
            return self._link(str(node.attrs.get("href", "")), self._inside(node))
        if kind in {"inline", "root"}:
            return self._inside(node)
        if kind == "image":
            return self._image(str(node.attrs.get("src", "")), node.content)
        tag = node.tag
        start = f' start="{node.attrs["start"]}"' if "start" in node.attrs else ""
        return f"<{tag}{start}>{self._inside(node)}</{tag}>" if tag else self._inside(node)

    def _link(self, target: str, inside: str) -> str:
        if not target.startswith("page:"):
            return f'<a href="{escape(self._resolve(target))}">{inside}</a>'
        title, space = self._page(target.removeprefix("page:"))
        page = f'<ri:page ri:content-title="{escape(title)}" ri:space-key="{escape(space)}" />'
        return f"<ac:link>{page}<ac:link-body>{inside}</ac:link-body></ac:link>"

    def _image(self, target: str, text: str) -> str:
        kind, _, name = target.partition(":")
        if kind == "page":
            title, space = self._page(name)
            page = f'<ac:link><ri:page ri:content-title="{escape(title)}" ri:space-key="{escape(space)}" /></ac:link>'
            return _macro("excerpt-include" if text == "excerpt" else "include", {"": page})
        if kind == "attachment" and name.endswith(".drawio"):
            return _macro("drawio", {"diagramName": escape(name)})
        if kind == "attachment":
            file = f'<ri:attachment ri:filename="{escape(name)}" />'
            return f'<ac:image ac:alt="{escape(text)}">{file}</ac:image>'
        return escape(text)


def _macro(name: str, parameters: Mapping[str, str]) -> str:
    shown = "".join(f'<ac:parameter ac:name="{key}">{value}</ac:parameter>' for key, value in parameters.items())
    return f'<ac:structured-macro ac:name="{name}" ac:schema-version="1">{shown}</ac:structured-macro>'


def code_macro(language: str, text: str) -> str:
    named = f'<ac:parameter ac:name="language">{escape(language)}</ac:parameter>' if language else ""
    body = text.replace("]]>", "]]]]><![CDATA[>")
    return (
        f'<ac:structured-macro ac:name="code" ac:schema-version="1">{named}'
        f"<ac:plain-text-body><![CDATA[{body}]]></ac:plain-text-body></ac:structured-macro>"
    )
