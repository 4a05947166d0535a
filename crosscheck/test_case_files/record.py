"""A draft as plain JSON: what the database keeps of it, and what an operation answers and `--json` prints."""

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from bots.outline import Outline
from crosscheck.errors import BadSettings
from crosscheck.records import locator_record
from crosscheck.test_case_files import FORMS, File, exported
from crosscheck.test_case_outline import draft_outline
from review.test_cases.types import Draft, DraftedCase, Plan
from review.types import Cited

_DRAFT = TypeAdapter(Draft)


def draft_record(draft: Draft) -> dict[str, Any]:
    """All of the draft that is shown, written to files or needed to go on with it. How it was made (`numbers`,
    `searches`, `audit`) is the job's record and not kept here.
    """
    kept: dict[str, Any] = _DRAFT.dump_python(replace(draft, numbers={}, searches=(), audit=()), mode="json")
    return kept


def draft_from(record: Mapping[str, Any]) -> Draft:
    """The draft that was recorded. Raises ValueError if the record is none of this version's."""
    return _DRAFT.validate_python(dict(record))


def draft_answer(draft: Draft, form: str | None, readable: Callable[[Outline], str]) -> dict[str, Any]:
    """The draft with its text to read (`reply`), and its file in a form if one is wanted. Raises BadSettings."""
    known = next((one for one in FORMS if one == form), None)
    if form is not None and known is None:
        raise BadSettings(f"There is no form {form!r} of test cases; there are {', '.join(FORMS)}.")
    file = exported(draft, known) if known else None
    return {**_told(draft, file), "reply": readable(draft_outline(draft))}


def _told(draft: Draft, file: File | None) -> dict[str, Any]:
    """The draft, with its file where one was asked for (`content` in Base64)."""
    return {
        "key": draft.key,
        "title": draft.title,
        "version": draft.version,
        "url": draft.locator.url,
        "cases": [_case(number, one) for number, one in draft.numbered],
        "plan": _plan(draft.plan) if draft.plan else None,
        "unknowns": [{"what": one.what, "settled_by": one.settled_by} for one in draft.unknowns],
        "degraded": list(draft.degraded),
        "made_by": draft.made_by,
        "dropped": draft.dropped,
        "more": draft.more,
        "audience": sorted(draft.audience.labels),
        "at": draft.at.isoformat(),
        "numbers": dict(draft.numbers),
        "file": _file(file) if file else None,
    }


def _case(number: int, one: DraftedCase) -> dict[str, Any]:
    return {
        "number": number,
        "id": one.id,
        "kind": one.kind,
        "title": one.title,
        "preconditions": list(one.preconditions),
        "steps": [{"action": step.action, "expected": step.expected} for step in one.steps],
        "expected": one.expected,
        "priority": one.urgency,
        "reason": one.reason,
        "sources": [_cited(cited) for cited in one.sources],
        "by_model": one.by_model,
    }


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "conditions": [_cited(one) for one in plan.conditions],
        "intent": [_cited(one) for one in plan.intent],
        "neighbours": [{"what": one.what, "why": one.why, "source": _cited(one.source)} for one in plan.neighbours],
    }


def _cited(cited: Cited) -> dict[str, Any]:
    return {"quote": cited.quote, **locator_record(cited.locator)}


def _file(file: File) -> dict[str, str]:
    return {"name": file.name, "media_type": file.media_type, "content": b64encode(file.content).decode()}
