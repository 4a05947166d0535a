"""Jobs and feedback as the console shows them: all that the viewer may read, or no more than that there is one."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, get_args

from core.store.base import CollectionName, document_of, point_id
from crosscheck.console.readers import Reader, documents_in, is_for_somebody
from crosscheck.records import LONGEST, job_record
from state.types import FeedbackView, JobView

SURFACES = {"jira": "jira", "confluence": "confluence", "slack": "slack", "slack_private": "slack"}
_REPLY = 40_000  # characters
_LIKE = "like "
_COLLECTIONS: tuple[CollectionName, ...] = get_args(CollectionName)


def glimpse(view: JobView) -> dict[str, Any]:
    """What everybody may know of a job who may look at the console at all."""
    return {
        "id": view.job.id,
        "surface": SURFACES.get(str(view.payload.get("surface")), "other"),
        "state": view.job.state,
        "created_at": view.job.created_at.isoformat(),
        "finished_at": view.job.finished_at.isoformat() if view.job.finished_at else None,
        "hidden": True,
    }


def listed(view: JobView, reader: Reader) -> dict[str, Any]:
    """A line of a list."""
    if not reader.may_read(view):
        return glimpse(view)
    job = view.job
    sent = next((post.url for post in view.posts if post.state == "sent" and post.url), None)
    return {
        **glimpse(view),
        "hidden": False,
        "kind": job.kind,
        "subject": job.subject,
        "attempts": job.attempts,
        "error": job.error,
        "unsent": sum(post.state in {"failed", "withheld"} for post in view.posts),
        "url": sent,
    }


def story(view: JobView, reader: Reader, feedback: tuple[FeedbackView, ...]) -> dict[str, Any]:
    """All of a job."""
    if not reader.may_read(view):
        return glimpse(view)
    whole = job_record(view)
    result = _result(view)
    return {
        **whole,
        **listed(view, reader),
        "via": view.job.key.partition("|")[0],
        "worker": view.job.worker,
        "result": None,
        "ignored": (view.result or {}).get("ignored"),
        "said": result.get("refused") or result.get("failed"),
        "question": _question(result),
        "reply": str(result["reply"])[:_REPLY] if result.get("reply") else None,
        "made_by": next((one for one in _made(result, "made_by")), None),
        "degraded": [note for notes in _made(result, "degraded") for note in notes],
        "numbers": next((dict(one) for one in _made(result, "numbers")), {}),
        "evidence": _evidence(result),
        "searches": _searches(result, reader),
        "calls": list(_calls(result)),
        "shown": _shown(result, reader),
        "feedback": [verdict(one) for one in feedback],
    }


def verdict(one: FeedbackView) -> dict[str, Any]:
    return {"person": one.person, "verdict": one.verdict, "reason": one.reason, "at": one.at.isoformat()}


def _result(view: JobView) -> Mapping[str, Any]:
    """What was said to nobody in particular may quote a comment whose readers are not known."""
    return view.result or {} if is_for_somebody(view) else {}


def _made(result: Mapping[str, Any], what: str) -> Iterator[Any]:
    for name in ("review", "answer", "test_cases"):
        made = result.get(name)
        if isinstance(made, Mapping) and made.get(what):
            yield made[what]


def _question(result: Mapping[str, Any]) -> str | None:
    asked = next(_made(result, "question"), None)
    entries = (one for one in result.get("audit") or () if one.get("step") == "request")
    return asked or next((str(one.get("text") or "") for one in entries), None)


def _evidence(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the reply quotes, each document once: the rule has seen that every one is readable."""
    found: dict[str, dict[str, Any]] = {}
    for name in ("review", "answer", "test_cases"):
        for one in _located(result.get(name)):
            kept = found.setdefault(one["url"] or one["title"], {**one, "quote": ""})
            kept["quote"] = kept["quote"] or one["quote"]
    return list(found.values())


def _located(value: object) -> Iterator[dict[str, Any]]:
    """Every document that a record names, with its title."""
    if isinstance(value, Mapping):
        title = value.get("title") if "document" in value else value.get("label") if "document_id" in value else None
        if title:
            yield {"title": str(title), "url": str(value.get("url") or ""), "quote": str(value.get("quote") or "")}
        for one in value.values():
            yield from _located(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _located(one)


def _searches(result: Mapping[str, Any], reader: Reader) -> list[dict[str, Any]]:
    """Each with those candidates whose documents are known to be readable now; the others are left out."""
    known = {
        document_of(point_id(document, 0, collection))
        for document in set(documents_in([result.get("audit"), *(result.get(name) for name in ("review", "answer"))]))
        if reader.may_know(document)
        for collection in _COLLECTIONS
    }
    found = []
    for searched in result.get("searches") or ():
        trace = searched["trace"]
        readable = [one for one in trace["candidates"] if document_of(one["id"]) in known]
        titles = {one["title"] for one in readable}
        candidates = [{**one, "fate": _fate(one["fate"], titles)} for one in readable]
        left_out = trace["left_out"] + len(trace["candidates"]) - len(candidates)
        found.append({**searched, "trace": {**trace, "candidates": candidates, "left_out": left_out}})
    return found


def _fate(fate: str, titles: Collection[str]) -> str:
    """What became of a candidate, without the title of one that is not shown."""
    like = fate.removeprefix(_LIKE)
    return fate if like == fate or like[:LONGEST] in titles else f"{_LIKE}another"


def _calls(result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What agents did, in order, without the texts."""
    for one in result.get("audit") or ():
        what = one.get("step")
        if what == "call":
            detail = f"{one['characters']} characters came back"
            yield {"agent": one["agent"], "what": f"looked up with {one['tool']}", "detail": detail}
        elif what == "shown":
            yield {"agent": one["agent"], "what": "was shown", "detail": f"{len(one['sources'])} passages"}
        elif what == "answer":
            yield {"agent": one["agent"], "what": "answered", "detail": ""}
        elif what == "failed":
            yield {"agent": one["agent"], "what": "gave nothing", "detail": one["reason"]}


def _shown(result: Mapping[str, Any], reader: Reader) -> list[dict[str, Any]]:
    """Titles of what models were shown, of what is known to be readable now."""
    return [
        {"title": one["title"], "kind": one["kind"]}
        for one in result.get("audit") or ()
        if one.get("step") == "source" and reader.may_know(one["document"])
    ]
