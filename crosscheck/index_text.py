"""`crosscheck index` as text."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bots.text import clean


def index_text(answer: Mapping[str, Any]) -> str:
    """A few lines for each generation, and what it means that there are two."""
    generations = answer["generations"]
    lines = [line for one in generations for line in _lines(one)]
    return clean("\n".join([*lines, *_between(generations)]))


def moved_text(answer: Mapping[str, Any]) -> str:
    """What a move has done."""
    searched = next(one for one in answer["generations"] if one["searched"])
    then = f"It is searched there from now on ({searched['engine']})."
    if searched["engine"] != answer["engine"]:
        then = "The old one is searched until each source was read in full once: run `crosscheck sync`."
    return f"{answer['points']:,} chunks copied. {then}\n\n{index_text(answer)}"


def rebuilt_text(answer: Mapping[str, Any]) -> str:
    """What a rebuild has done."""
    done = clean("\n".join(_rebuilt(answer["before"], answer["generations"])))
    return f"{done}\n\n{index_text(answer)}"


def _lines(one: Mapping[str, Any]) -> Iterator[str]:
    disk = f", {_megabytes(one['disk'])} on disk" if one["disk"] is not None else ""
    yield f"{one['engine']}, {_state(one)}: {one['chunks']:,} chunks{disk}"
    yield f"  where      {one['where']}"
    yield f"  name       {one['name']}"
    yield f"  made with  {one['documents']}"
    if one["code"] != one["documents"]:
        yield f"  code with  {one['code']}"


def _state(one: Mapping[str, Any]) -> str:
    if one["searched"]:
        return "searched" if one["complete"] else "searched, still being built"
    return "being built"


def _between(generations: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    built = next((one for one in generations if not one["searched"]), None)
    if built is None:
        return
    said = "The settings want the index that is being built. It is searched when each source was read in full into it"
    alike = len({(one["documents"], one["code"]) for one in generations}) == 1
    copied = f", or copy the present one: `crosscheck index move --to {built['engine']}`" if alike else ""
    yield ""
    yield f"{said}: run `crosscheck sync`{copied}."


def _rebuilt(before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    sizes = {one["name"]: one["disk"] for one in before}
    for one in after:
        if one["disk"] is None:
            yield f"{one['where']}: a server does this by itself."
        elif one["disk"] >= sizes.get(one["name"], 0):
            yield f"{one['where']}: too little was deleted from it to be worth a rebuild."
        else:
            yield f"{one['where']}: {_megabytes(sizes[one['name']])} before, {_megabytes(one['disk'])} now."


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MiB"
