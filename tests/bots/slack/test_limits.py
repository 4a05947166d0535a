"""What Slack would refuse is said before it is sent."""

from typing import Any

import pytest

from bots.slack.limits import MESSAGE_WEIGHT, check, weight
from bots.slack.rich_text import link, listed, literal, plain_text, preformatted, rich_text, section

TEXT = rich_text([section([literal("x")])])
HEADER = {"type": "header", "text": plain_text("x")}
BUTTON = {"type": "button", "text": plain_text("Go"), "action_id": "go", "value": "1"}
FIELD = {"type": "plain_text_input", "action_id": "why", "max_length": 3000, "placeholder": plain_text("x" * 150)}
INPUT = {"type": "input", "block_id": "why", "label": plain_text("Why?"), "element": FIELD}
METADATA = {"event_type": "crosscheck_delivery", "event_payload": {"key": "k", "text": "d"}}
RAW = {"type": "raw_text", "text": "x"}
MODAL = {"type": "modal", "title": plain_text("x"), "submit": plain_text("Send"), "blocks": [INPUT]}
HOME = {"type": "home", "blocks": [HEADER, TEXT]}


def posted(*blocks: Any, **more: Any) -> list[str]:
    return check("chat.postMessage", {"channel": "C1", "text": "x", "blocks": list(blocks), **more})


def actions(*elements: Any) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def table(*rows: Any) -> dict[str, Any]:
    return {"type": "table", "rows": [list(row) for row in rows]}


def test_what_is_within_the_limits_is_fine():
    blocks = [
        {"type": "header", "text": plain_text("x" * 150)},
        {"type": "context", "elements": [plain_text("x" * 300)] * 10},
        rich_text([listed([section([literal("x"), link("y", "https://x.example")])], 4), preformatted("z")]),
        table(*[[RAW] * 20] * 100),
        actions(BUTTON, {**BUTTON, "action_id": "other", "value": "x" * 2000, "accessibility_label": "x" * 75}),
    ]
    assert posted(*blocks, metadata=METADATA, parse="none", unfurl_links=False) == []
    assert check("chat.update", {"channel": "C1", "ts": "1.2", "text": "x" * 4000, "blocks": [TEXT]}) == []
    assert check("chat.postEphemeral", {"channel": "C1", "user": "U1", "text": "x"}) == []
    assert check("response_url", {"response_type": "ephemeral", "text": "x", "blocks": [TEXT]}) == []
    assert check("views.publish", {"user_id": "U1", "view": {**HOME, "blocks": [TEXT] * 100}}) == []
    assert check("views.open", {"trigger_id": "1", "view": {**MODAL, "private_metadata": "x" * 3000}}) == []
    assert check("files.getUploadURLExternal", {"filename": "a.csv", "length": 1}) == []
    files = [{"id": "F1", "title": "Test cases"}]
    assert check("files.completeUploadExternal", {"files": files, "channel_id": "C1", "thread_ts": "1.2"}) == []
    assert check("assistant.threads.setStatus", {"channel_id": "D1", "thread_ts": "1.2", "status": ""}) == []
    assert check("assistant.threads.setTitle", {"channel_id": "D1", "thread_ts": "1.2", "title": "x"}) == []
    prompts = [{"title": "x", "message": "y"}] * 4
    assert check("assistant.threads.setSuggestedPrompts", {"channel_id": "D1", "prompts": prompts}) == []
    assert check("chat.delete", {"channel": "C1", "ts": "1.2"}) == []


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "image_url": "https://x.example/a.png", "alt_text": "x"},
        {"type": "markdown", "text": "**x**"},
        {"type": "header", "text": {"type": "mrkdwn", "text": "*x*"}},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}]},
        {"type": "context", "elements": []},
        {"type": "context", "elements": [plain_text("x")] * 11},
        {"type": "header", "text": plain_text("")},
        {"type": "header", "text": plain_text("x" * 151)},
        {"type": "header", "text": plain_text("👩" * 76)},
        {"type": "header"},
        {**HEADER, "block_id": "x" * 256},
        {"type": "context", "elements": [plain_text("x" * 3001)]},
        {"type": "divider"},
        INPUT,
        rich_text([]),
        rich_text([section([])]),
        rich_text([section([literal("")])]),
        rich_text([section([link("", "https://x.example")])]),
        rich_text([section([link("x", "javascript:alert(1)")])]),
        rich_text([section([link("x", "https://x.example/" + "a" * 3000)])]),
        rich_text([section([{"type": "broadcast", "range": "channel"}])]),
        rich_text([section([{"type": "user", "user_id": "U1"}])]),
        rich_text([preformatted("")]),
        rich_text([listed([])]),
        rich_text([{**listed([section([literal("x")])]), "style": "dash"}]),
        rich_text([{**listed([section([literal("x")])]), "offset": -1}]),
        rich_text([listed([preformatted("x")])]),
        rich_text([{"type": "rich_text_quote", "elements": [literal("x")]}]),
        actions(),
        actions(BUTTON, BUTTON),
        actions(*({**BUTTON, "action_id": str(number)} for number in range(26))),
        actions({**BUTTON, "value": "x" * 2001}),
        actions({**BUTTON, "text": plain_text("x" * 76)}),
        actions({**BUTTON, "action_id": "x" * 256}),
        actions({**BUTTON, "accessibility_label": "x" * 76}),
        actions({"type": "static_select", "action_id": "x"}),
        table(),
        table([]),
        table(*[[RAW]] * 101),
        table([RAW] * 21),
        table([RAW, RAW], [RAW]),
        table([{**RAW, "text": ""}]),
        table([{"type": "raw_number", "value": 1}]),
        table([rich_text([section([literal("")])])]),
        table([{**RAW, "text": "x" * 5_001}], [{**RAW, "text": "x" * 5_001}]),
        {**table([RAW]), "column_settings": [{}] * 21},
    ],
)
def test_a_block_that_would_be_refused(block):
    assert len(posted(block)) == 1


@pytest.mark.parametrize(
    "more",
    [
        {"text": ""},
        {"text": " \n"},
        {"text": "x" * 40_001},
        {"text": "<!channel>"},
        {"text": "<@U1>"},
        {"parse": "full"},
        {"link_names": True},
        {"blocks": [HEADER] * 51},
        {"blocks": [table([RAW]), table([RAW])]},
        {"blocks": [{**HEADER, "block_id": "a"}, {**HEADER, "block_id": "a"}]},
        {"blocks": [rich_text([section([literal("x" * 13_000)])])]},
        {"metadata": {"event_type": "a b", "event_payload": {}}},
        {"metadata": {"event_type": "a"}},
        {"metadata": {**METADATA, "event_payload": {"key": "x" * 4_000}}},
    ],
)
def test_a_message_that_would_be_refused(more):
    assert len(posted(TEXT, **more)) == 1


@pytest.mark.parametrize(
    ("method", "payload"),
    [
        ("chat.update", {"text": "é" * 2_001}),
        ("chat.postEphemeral", {"text": "x", "metadata": METADATA}),
        ("response_url", {"text": "x", "response_type": "public"}),
        ("views.publish", {"view": {**HOME, "type": "modal"}}),
        ("views.publish", {"view": {**HOME, "blocks": []}}),
        ("views.publish", {"view": {**HOME, "blocks": [TEXT] * 101}}),
        ("views.publish", {"view": {**HOME, "blocks": [table([RAW])]}}),
        ("views.publish", {"view": {**HOME, "blocks": [rich_text([section([literal("x" * 250_000)])])]}}),
        ("views.open", {"view": {**MODAL, "title": plain_text("x" * 25)}}),
        ("views.open", {"view": {**MODAL, "submit": plain_text("x" * 25)}}),
        ("views.open", {"view": {name: part for name, part in MODAL.items() if name != "title"}}),
        ("views.open", {"view": {name: part for name, part in MODAL.items() if name != "submit"}}),
        ("views.open", {"view": {**MODAL, "private_metadata": "x" * 3_001}}),
        ("views.open", {"view": {**MODAL, "callback_id": "x" * 256}}),
        ("views.open", {"view": {**MODAL, "blocks": [{**INPUT, "element": {**FIELD, "max_length": 3_001}}]}}),
        ("views.open", {"view": {**MODAL, "blocks": [{**INPUT, "element": {"type": "datepicker"}}]}}),
        ("files.getUploadURLExternal", {"filename": "", "length": 1}),
        ("files.getUploadURLExternal", {"filename": "a", "length": 0}),
        ("files.completeUploadExternal", {"files": []}),
        ("files.completeUploadExternal", {"files": [{"title": "x"}]}),
        ("files.completeUploadExternal", {"files": [{"id": "F1", "title": " "}]}),
        ("files.completeUploadExternal", {"files": [{"id": "F1"}], "thread_ts": "1.2"}),
        ("files.completeUploadExternal", {"files": [{"id": "F1"}], "initial_comment": "<!here>"}),
        ("assistant.threads.setStatus", {"status": "x" * 251}),
        ("assistant.threads.setTitle", {"title": ""}),
        ("assistant.threads.setSuggestedPrompts", {"prompts": [{"title": "x", "message": "y"}] * 5}),
        ("assistant.threads.setSuggestedPrompts", {"prompts": [{"title": "", "message": "y"}]}),
        ("admin.users.remove", {}),
    ],
)
def test_a_call_that_would_be_refused(method, payload):
    (fault,) = check(method, payload)
    assert fault.startswith(f"{method}: ")


@pytest.mark.parametrize(("headers", "told"), [(20, 10_563), (40, 7_875)])
def test_the_weight_is_above_what_was_measured(headers, told):
    """Messages of 20 and 40 headers were refused from so much other text on."""
    blocks = [{"type": "header", "text": plain_text("x")}] * headers
    assert weight([*blocks, rich_text([section([literal("x" * told)])])]) > MESSAGE_WEIGHT


def test_the_weight_counts_signs_as_slack_stores_them():
    assert weight([rich_text([section([literal("<&>")])])]) == weight([rich_text([section([literal("x" * 13)])])])
