"""Weights of search's arms, fitted to this installation's own tickets and commits, and kept only if they win."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from math import isfinite
from pathlib import Path
from typing import Any, Protocol

import structlog

from core.embedders import Embedders
from core.fitting import LARGEST, Fit, Labelled, Scores, Weights, fit
from core.ranking import Rankings
from core.store.base import Scope, Store
from core.tuning import Tuning
from core.types import Audience, Filters
from crosscheck.closed_tickets import ONE_PUSH, ClosedTicket, closed_tickets
from crosscheck.errors import CrosscheckError
from crosscheck.own_history import Report

FEWEST = 30
"""Tickets without which nothing is fitted."""

_FILE = "tuning.json"
_LARGEST_FILE = 100_000  # bytes

log = structlog.get_logger(__name__)


class Ranks(Protocol):
    """Answers a question by every arm."""

    def rankings(self, question: str, scope: Scope, voters: Filters) -> Rankings:
        """What each arm ranks in scope, unweighed; the commits that vote are those that `voters` leaves. Raises
        BadQuery, IndexUnusable, and EmbedderUnavailable rather than leaving out an arm.
        """
        ...


class Searched(Protocol):
    """An index: `crosscheck.index.Generation` is one."""

    @property
    def embedders(self) -> Embedders: ...

    @property
    def store(self) -> Store: ...

    @property
    def searcher(self) -> Ranks: ...


def tune(
    index: Searched, tuning: Tuning, data: Path, now: datetime, report: Report, *, dry_run: bool
) -> dict[str, Any]:
    """Fit the weights and save them in the data folder if they win; what was measured, as JSON.

    `tuning` is what is used without saved weights. CrosscheckError if too few tickets were closed by commits.
    """
    tickets, audience = closed_tickets(index.store, report)
    if len(tickets) < FEWEST:
        raise CrosscheckError(_too_few(len(tickets)))
    labelled = _labelled(index.searcher, tickets, audience, report)
    start = weights_of(tuning)
    fitted = fit(labelled, start, tuning.k)
    measured = {"before": _record(fitted.before), "after": _record(fitted.after), "gain": asdict(fitted.gain)}
    made = {"made": now.isoformat(), "questions": len(labelled), "embedders": _names(index.embedders)}
    saves = fitted.wins and not dry_run
    if saves:
        _write(data / _FILE, {"weights": asdict(fitted.weights), "measured": measured, **made})
    earlier = not saves and (data / _FILE).exists()
    return {
        **made,
        "measured": measured,
        "weights": {"before": asdict(start), "after": asdict(fitted.weights)},
        "wins": fitted.wins,
        "saved": saves,
        "verdict": _verdict(fitted, dry_run=dry_run, earlier=earlier),
    }


def forget(data: Path) -> dict[str, Any]:
    """Go back to the weights that the program comes with."""
    there = (data / _FILE).exists()
    (data / _FILE).unlink(missing_ok=True)
    verdict = "The saved weights are removed; from the next start on search uses the ones it comes with."
    return {"forgotten": there, "verdict": verdict if there else "No weights were saved."}


def saved(data: Path, embedders: Embedders) -> Weights | None:
    """The saved weights, if they were fitted with these embedders, which they say as much about as about the team.
    What is damaged is said in the log and ignored.
    """
    path = data / _FILE
    try:
        content = _content(path)
        weights = _weights(content)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        log.warning("saved weights ignored", file=_FILE, reason=f"the file is damaged: {error}")
        return None
    if content["embedders"] != _names(embedders):
        log.warning("saved weights ignored", file=_FILE, reason="they were fitted with other embedders; tune again")
        return None
    return weights


def weights_of(tuning: Tuning) -> Weights:
    """The weights that can be fitted, in units of the one that cannot."""
    values = {one.name: getattr(tuning, one.name) for one in fields(Weights)}
    shared = values.pop("document")  # a share of the others
    return Weights(**{name: value / tuning.content_words for name, value in values.items()}, document=shared)


def tuned(tuning: Tuning, weights: Weights | None) -> Tuning:
    """The tuning with these weights."""
    return replace(tuning, content_words=1.0, **asdict(weights)) if weights else tuning


def text(answer: Mapping[str, Any]) -> str:
    """What `tune` or `forget` told, for a terminal. Holds nothing from outside."""
    if "measured" not in answer:
        return str(answer["verdict"])
    before, after = (answer["measured"][when] for when in ("before", "after"))
    scores = [(name, f"{before[name]:.3f}", f"{after[name]:.3f}") for name in before]
    first, then = (answer["weights"][when] for when in ("before", "after"))
    weights = [(name.replace("_", " "), f"{first[name]:g}", f"{then[name]:g}") for name in first]
    return "\n".join(
        [
            f"{answer['questions']} tickets were asked about; right are the files that their commits changed.",
            "After is held out: each ticket is judged with weights that were fitted without it.",
            "",
            *_table([("", "before", "after"), *scores]),
            "",
            *_table([("weight", "before", "after"), ("content words", "1", "1"), *weights]),
            "",
            str(answer["verdict"]),
        ]
    )


def _labelled(searcher: Ranks, tickets: Sequence[ClosedTicket], audience: Audience, report: Report) -> list[Labelled]:
    """Each ticket's question and what every arm answers. Neither the ticket nor its own commits help, nor any commit
    that was not there before them.
    """
    found = []
    for done, ticket in enumerate(tickets, 1):
        own = frozenset({ticket.id}) | ticket.commits
        scope = Scope(audience, Filters(kinds=frozenset({"code"}), without=own))
        voters = Filters(as_of=ticket.began - ONE_PUSH, without=own)
        found.append(Labelled(ticket.id, searcher.rankings(ticket.question, scope, voters), ticket.files))
        report({"step": "ask", "done": done, "total": len(tickets)})
    return found


def _too_few(found: int) -> str:
    return (
        f"Too few labels to fit weights: commits closed {found} of the tickets in the index by changing code that is "
        f"still there, and {FEWEST} are needed to tell a gain from luck. It helps to index more of the projects' "
        "tickets and more commits (`commits` of a [[git]] table), and to name the ticket's key in commit messages."
    )


def _verdict(fitted: Fit, *, dry_run: bool, earlier: bool) -> str:
    gain, kept = fitted.gain, " The weights saved earlier stay (--forget removes them)." if earlier else ""
    numbers = f"held out, MRR changed by {gain.mean:+.3f} (95 % interval {gain.low:+.3f} to {gain.high:+.3f})"
    if not fitted.wins:
        return f"No weights are saved: {numbers}, which is no clear win.{kept}"
    if dry_run:
        return f"These weights win: {numbers}. They are not saved, since this is a dry run.{kept}"
    return f"These weights win: {numbers}. They are saved, and used from the next start on."


def _record(scores: Scores) -> dict[str, float]:
    return {"MRR": scores.mrr, "Acc@1": scores.first, "recall@10": scores.recall}


def _table(rows: Sequence[tuple[str, str, str]]) -> list[str]:
    width = max(len(name) for name, _, _ in rows)
    return [f"{name:<{width}}  {before:>6}  {after:>6}" for name, before, after in rows]


def _names(embedders: Embedders) -> list[str]:
    return [embedders.documents.name, embedders.code.name]


def _content(path: Path) -> dict[str, Any]:
    """ValueError if it is no file of weights."""
    if path.stat().st_size > _LARGEST_FILE:
        raise ValueError("it is too large")
    content = json.loads(path.read_text("utf-8"))
    if not isinstance(content, dict) or not {"weights", "embedders"} <= content.keys():
        raise ValueError("it does not say weights and embedders")
    return content


def _weights(content: Mapping[str, Any]) -> Weights:
    """ValueError if these are none."""
    values = content["weights"]
    if not isinstance(values, dict) or values.keys() != {one.name for one in fields(Weights)}:
        raise ValueError("it does not hold the weights")
    for name, value in values.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not isfinite(value) or not 0 <= value <= LARGEST:
            raise ValueError(f"{name} is no number from 0 to {LARGEST:g}")
    return Weights(**values)


def _write(path: Path, content: Mapping[str, Any]) -> None:
    """All of it or nothing, whatever happens meanwhile."""
    new = path.with_suffix(".next")
    with new.open("w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
