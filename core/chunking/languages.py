"""The programming languages that are read by syntax: how a file's is told, its grammar, its query for names.

A grammar's own tags query is used where it says what is defined and what is used (for Python, JavaScript, Java, Go,
Rust and PHP); `queries/` holds what these lack, and all of it for the others. There, `@definition` is a node that
defines `@name`, `@reference` one that uses it, and `@scope` one whose members are called after it without its defining
it; `@receiver` is the type that a definition belongs to where it does not stand inside it. What is captured as
`@lines` is looked through for definitions line by line too.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import PurePosixPath

import tree_sitter


@dataclass(frozen=True, slots=True)
class Language:
    """Where the parts of a language are."""

    module: str
    """The package of its grammar."""
    queries: tuple[str, ...]
    """Files in `queries/`."""
    tags: tuple[str, ...] = ()
    """The packages whose own tags query holds for it."""
    function: str = "language"

    @property
    def name(self) -> str:
        """What people call it: `python`, `typescript`, `csharp`."""
        return self.module.removeprefix("tree_sitter_").replace("_", "")


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language's tables and its query for names, loaded."""

    tables: tree_sitter.Language
    names: tree_sitter.Query


def _tagged(name: str) -> Language:
    """A language whose grammar brings a tags query that is nearly complete."""
    return Language(f"tree_sitter_{name}", (name,), (f"tree_sitter_{name}",))


def _own(name: str) -> Language:
    return Language(f"tree_sitter_{name}", (name,))


_JAVASCRIPT = Language("tree_sitter_javascript", ("ecmascript", "jsx", "javascript"), ("tree_sitter_javascript",))
_TYPESCRIPT_TAGS = ("tree_sitter_javascript", "tree_sitter_typescript")
_TYPESCRIPT = Language(
    "tree_sitter_typescript", ("ecmascript", "typescript"), _TYPESCRIPT_TAGS, function="language_typescript"
)
_TSX = Language(
    "tree_sitter_typescript", ("ecmascript", "jsx", "typescript"), _TYPESCRIPT_TAGS, function="language_tsx"
)
_PYTHON, _RUBY = _tagged("python"), _own("ruby")
_PHP = Language("tree_sitter_php", ("php",), ("tree_sitter_php",), function="language_php")
_C, _CPP = _own("c"), Language("tree_sitter_cpp", ("c", "cpp"))

_BY_EXTENSION = {
    extension: language
    for extensions, language in (
        ("py pyi pyw", _PYTHON),
        ("js jsx mjs cjs", _JAVASCRIPT),
        ("ts mts cts", _TYPESCRIPT),
        ("tsx", _TSX),
        ("java", _tagged("java")),
        ("kt kts", _own("kotlin")),
        ("go", _tagged("go")),
        ("rs", _tagged("rust")),
        ("c", _C),
        ("cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl cu cuh", _CPP),
        ("cs", _own("c_sharp")),
        ("rb rake gemspec ru", _RUBY),
        ("php phtml php3 php4 php5 php7 phps inc", _PHP),
        ("swift", _own("swift")),
        ("scala sc sbt", _own("scala")),
        ("sql ddl dml psql pgsql", _own("sql")),
    )
    for extension in extensions.split()
}
_BY_NAME = {"rakefile": _RUBY, "gemfile": _RUBY, "sconstruct": _PYTHON}
_BY_INTERPRETER = {"python": _PYTHON, "node": _JAVASCRIPT, "ruby": _RUBY, "php": _PHP, "deno": _TYPESCRIPT}
_SHEBANG = re.compile(r"#![^\n]{0,80}?\b(?P<interpreter>python|node|ruby|php|deno)[\d.]*(?=\s|\Z)")
_CPP_HEADER = re.compile(r"^[ \t]*(?:class|namespace|template|using|public:|private:)(?!\w)|\bstd::", re.MULTILINE)


def language_of(path: str, text: str) -> Language | None:
    """The language of a file, by its name, or its first line where the name says nothing; None if not known here."""
    name = PurePosixPath(path).name.lower()
    _, dot, extension = name.rpartition(".")
    if dot and extension == "h":
        return _CPP if _CPP_HEADER.search(text) else _C
    if dot and extension == "inc" and "<?php" not in text:
        return None
    if dot and extension in _BY_EXTENSION:
        return _BY_EXTENSION[extension]
    if name in _BY_NAME:
        return _BY_NAME[name]
    match = _SHEBANG.match(text)
    return _BY_INTERPRETER[match["interpreter"]] if match else None


@cache
def grammar(language: Language) -> Grammar:
    """The language's grammar, loaded once."""
    tables = tree_sitter.Language(getattr(import_module(language.module), language.function)())
    tags = [_without_comments(import_module(module).TAGS_QUERY) for module in language.tags]
    folder = files("core.chunking") / "queries"
    own = [(folder / f"{name}.scm").read_text("utf-8") for name in language.queries]
    return Grammar(tables, tree_sitter.Query(tables, "\n".join([*tags, *own, "(ERROR) @lines"])))


def _without_comments(query: str) -> str:
    """A tags query that leaves aside the comments above a definition: the time to look for them grows with the square
    of the number of comments in a row.
    """
    query = re.sub(r"\(comment\)\* @doc\s*\.", "", query)
    return re.sub(r"\(#[\w-]+! @doc[^\n]*\)", "", query)
