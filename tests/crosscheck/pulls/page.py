"""The tables in docs/pull-requests.md. `python -m tests.crosscheck.pulls.page` writes them anew."""

from collections.abc import Iterable
from pathlib import Path

from tests.crosscheck.pulls.situations import ELSEWHERE, FOUND, SITUATIONS, Seen, Situation
from tests.crosscheck.pulls.stage import HOSTS
from tests.pages import rewrite

PAGE = Path(__file__).parents[3] / "docs" / "pull-requests.md"
BEGIN, END = "<!-- situations: begin -->\n", "<!-- situations: end -->\n"
_WHERE = {
    "gitlab": "GitLab",
    "bitbucket_cloud": "Bitbucket Cloud",
    "bitbucket_data_center": "Bitbucket Data Center",
    "": "Git alone",
}


def table() -> str:
    """What reviews say at GitHub, then what they say elsewhere."""
    head = "| situation | of the pull request | could not be checked |\n| --- | --- | --- |\n"
    there = "".join(_line(one.name, *_says(one)) for one in SITUATIONS)
    head_elsewhere = "\n| where | situation | of the pull request | could not be checked |\n| --- | --- | --- | --- |\n"
    return head + there + head_elsewhere + "".join(_elsewhere(ELSEWHERE))


def _elsewhere(situations: Iterable[Situation]) -> Iterable[str]:
    """Hosts of which the same is said share a line."""
    where: dict[tuple[str, str, str], list[str]] = {}
    for one in situations:
        said = (one.name, *(text.replace(one.repo, "shop") for text in _says(one)))
        where.setdefault(said, []).append(_WHERE[HOSTS[one.repo]])
    return (_line(", ".join(hosts), *said) for said, hosts in where.items())


def _says(one: Situation) -> tuple[str, str]:
    pulls = [_seen(seen, len(one.pulls)) for seen in one.pulls] or ["It is not read."]
    absent = ["A finding says that a name which the ticket asks for is not there."] * one.absent
    unknowns = [text.removeprefix(f"Pull request 1 of {one.repo}: ") for text in one.unknowns]
    return " ".join([*pulls, *absent]), "<br>".join(unknowns)


def _seen(seen: Seen, of: int) -> str:
    number = f"{seen.number}: " if of > 1 else ""
    return number + " ".join(part for part in (seen.says, seen.found if seen.found != FOUND else "", seen.read) if part)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    rewrite(PAGE, BEGIN, END, table())
