"""What the ends of a line say, in every notation alike: direction, the relations of UML, how many of each."""

from typing import Literal

from core.parsing.diagrams.graph import Arrow, Edge

Mark = Literal["", "arrow", "triangle", "diamond", "hollow diamond"]
"""What is drawn at an end. A triangle is a hollow one."""


def connection(
    source: str | None,
    target: str | None,
    marks: tuple[Mark, Mark],
    *,
    label: str = "",
    counts: tuple[str, str] = ("", ""),
    dashed: bool = False,
    condition: str = "",
) -> Edge:
    """The edge for a line drawn from `source` to `target`, with what stands at its two ends.

    It is turned so that it reads from left to right: child to parent, whole to part, tail to head. Source of the
    signs: OMG UML 2.5.1, sections 9.2 (generalization), 10.4 (realization) and 11.5 (aggregation).
    """
    turned, arrow, relation = _read(marks, dashed)
    if turned:
        source, target, counts = target, source, (counts[1], counts[0])
    many = f"({counts[0] or 'unsaid'} to {counts[1] or 'unsaid'})" if any(counts) else ""
    said = "; ".join(part for part in (relation, label.strip()) if part)
    return Edge(source, target, " ".join(part for part in (said, many) if part), arrow, condition)


def _read(marks: tuple[Mark, Mark], dashed: bool) -> tuple[bool, Arrow, str]:
    """Whether the line reads from its end to its start, its arrow, and the relation that it stands for."""
    start, end = marks
    if start == end:
        return False, "<->" if start in {"arrow", "triangle"} else "-", ""
    if "triangle" in marks:
        return end != "triangle", "->", "implements" if dashed else "inherits from"
    if "diamond" in marks:
        return start != "diamond", "->", "is composed of"
    if "hollow diamond" in marks:
        return start != "hollow diamond", "->", "has"
    return start == "arrow", "->", ""
