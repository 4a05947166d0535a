"""The rules that look at a ticket's pull requests."""

from dataclasses import replace

import pytest

from core.pulls.types import ChangedFile
from review.case import Checked
from review.checks import consumers, existing_data, named_in_pull, not_deployed, other_base, pull_conflict
from review.checks.constants import constant
from review.checks.places import Place
from review.types import Priority
from tests.review.cases import LABELS, START, assert_cited, bug, case, talk, ticket
from tests.review.pull_cases import Heads, overviews, pull, pulled, use
from tests.review.standings import on

PARTY = ticket("Limit the size of a party", "At most 8 passengers can be in one booking.")
HOLD = ticket("Seats on hold", "An unpaid booking holds its seats for 15 minutes.")


def judged(check, subject, *snapshots, heads=None, users=None):
    """The findings of a rule, each proven to be cited."""
    heads = heads or Heads()
    subject = pulled(subject, *snapshots, heads=heads, users=users)
    checked = check(subject)
    used = [one.evidence for uses in (users or {}).values() for one in uses]
    told = [one.evidence for snapshot in snapshots for one in snapshot.standings]
    assert_cited(subject, checked, [*overviews(*snapshots), *heads.given, *used, *told])
    assert check(subject) == checked
    return checked


LIMITS = {
    "upper case": ("+MAX_PASSENGERS = 9", "booking/party.py", PARTY),
    "typed": ("+MAX_PASSENGERS: Final = 9  # of one booking", "booking/party.py", PARTY),
    "camel case": ('+  "maxPassengers": 9,', "config/booking.json", PARTY),
    "java": ("+    private static final int MAX_PASSENGERS = 9;", "src/booking/Party.java", PARTY),
    "duration by its name": ("+HOLD_MINUTES = 10", "booking/seats.py", HOLD),
    "duration by a call": ("+HOLD = timedelta(minutes=10)", "booking/seats.py", HOLD),
    "duration in seconds": ("+SEAT_HOLD_SECONDS = 10 * 60", "booking/hold.py", HOLD),
    "duration of Java": ("+  static final Duration SEAT_HOLD = Duration.ofMinutes(10);", "booking/Hold.java", HOLD),
    "size": (
        "+MAX_UPLOAD_BYTES = 25 * 1000 * 1000",
        "claims/photos.py",
        ticket("Photos of a claim", "A photo that is uploaded to a claim may have up to 10 MB."),
    ),
    "another noun in the name": (
        "+MAX_FAILED_SIGN_INS = 10",
        "accounts/lock.py",
        ticket("Lock an account", "After 5 failed sign-in attempts the account is locked."),
    ),
    "target of a change": (
        "+MAX_PASSENGERS = 10",
        "booking/party.py",
        ticket("Larger parties", "Raise the limit from 8 to 12 passengers a booking."),
    ),
    "in the criteria": (
        "+MAX_PASSENGERS = 9",
        "booking/party.py",
        ticket("Party size", "", fields={"Acceptance criteria": "- A booking has at most 8 passengers."}),
    ),
}
AGREEING = {
    "same": ("+MAX_PASSENGERS = 8", "booking/party.py", PARTY),
    "same in seconds": ("+HOLD_SECONDS = 900", "booking/seats.py", HOLD),
    "taken away": ("-MAX_PASSENGERS = 9", "booking/party.py", PARTY),
    "in a test": ("+MAX_PASSENGERS = 9", "tests/test_party.py", PARTY),
    "another thing": ("+MAX_LUGGAGE_ITEMS = 9", "booking/luggage.py", PARTY),
    "another matter": ("+MAX_RETRIES = 3", "mail/sending.py", PARTY),
    "a counter": ("+        passengers = 1", "booking/party.py", PARTY),
    "a call": ("+    book(passengers=9)", "booking/party.py", PARTY),
    "a comparison": ("+    if passengers == 9:", "booking/party.py", PARTY),
    "a warning of the ticket itself": (
        "+LOCK_AFTER_ATTEMPTS = 5",
        "accounts/sign_in.py",
        ticket(
            "Lock an account",
            "After 5 failed sign-in attempts the account is locked. After 3 failed attempts a warning is shown.",
        ),
    ),
    "today's value": (
        "+MAX_PASSENGERS = 12",
        "booking/party.py",
        ticket("Larger parties", "Raise the limit from 8 to 12 passengers a booking."),
    ),
    "what a bug complains of": (
        "+MAX_PASSENGERS = 9",
        "booking/party.py",
        ticket("Party", "I could book 12 passengers.", kind="Bug"),
    ),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_that_differs(name):
    line, path, subject = LIMITS[name]
    checked = judged(pull_conflict.check, subject, pull(files=[path]), heads=Heads({path: line}))
    assert [finding.category for finding in checked.findings] == ["conflict"]
    assert checked.findings[0].evidence[1].quote == line[1:].strip()


@pytest.mark.parametrize("name", AGREEING)
def test_a_limit_that_does_not_differ(name):
    line, path, subject = AGREEING[name]
    assert not judged(pull_conflict.check, subject, pull(files=[path]), heads=Heads({path: line})).findings


def test_a_limit_in_a_closed_pull_request_is_nobodys():
    snapshot = pull(state="closed", files=["booking/party.py"])
    heads = Heads({"booking/party.py": "+MAX_PASSENGERS = 9"})
    assert not judged(pull_conflict.check, PARTY, snapshot, heads=heads).findings


def test_what_is_no_constant():
    place = Place("x", "", pull().locator, LABELS)
    for line in ("total = 9", "self.attempts = 0", "MAX = 0", "VERSION = '9'", "x == 9", "", "LIMIT = compute(9)"):
        assert constant(line, place, ["a"]) is None, line


DONE = ticket("Print the slip", "Text.", done=True)
LIVE = ticket("Print the slip", "Text.", comments=talk("Ana: The new slip is live since noon."))
BEHIND = {
    "open": (DONE, [pull()]),
    "draft": (DONE, [pull(state="draft")]),
    "closed and nothing instead": (DONE, [pull(state="closed")]),
    "merged, not deployed": (DONE, [pull(state="merged", deployed=False)]),
    "said to be live": (LIVE, [pull()]),
    "said to be live, merged only": (LIVE, [pull(state="merged", deployed=False)]),
    "one of two": (DONE, [pull(state="merged", deployed=True), pull(8)]),
}
IN_ORDER = {
    "deployed": (DONE, [pull(state="merged", deployed=True)]),
    "not told whether deployed": (DONE, [pull(state="merged")]),
    "work goes on": (ticket(), [pull()]),
    "closed for another": (DONE, [pull(state="closed"), pull(8, state="merged", deployed=True)]),
    "no pull request": (DONE, []),
    "not yet live": (ticket(comments=talk("Ana: Tell me when it is live.", "Ben: It is not live yet.")), [pull()]),
    "asked": (ticket(comments=talk("Ana: Is this live?")), [pull()]),
    "first part is live": (LIVE, [pull(state="merged", deployed=True), pull(8)]),
}


@pytest.mark.parametrize("name", BEHIND)
def test_done_but_not_there(name):
    subject, snapshots = BEHIND[name]
    assert len(judged(not_deployed.check, subject, *snapshots).findings) == 1


@pytest.mark.parametrize("name", IN_ORDER)
def test_there_or_not_expected(name):
    subject, snapshots = IN_ORDER[name]
    assert not judged(not_deployed.check, subject, *snapshots).findings


def test_whether_it_is_deployed_may_be_unknown():
    assert judged(not_deployed.check, DONE, pull(state="merged")).unknowns


STAGED = ticket("Print the slip", "Text.", comments=talk("Ana: The new slip is live on staging since noon."))
MERGED = pull(state="merged")
STANDING_BEHIND = {
    "not in production": (DONE, on(MERGED, staging="yes", production="no")),
    "partly in production": (DONE, on(MERGED, production="partly")),
    "nowhere": (DONE, on(MERGED, blue="no", green="no")),
    "whatever counts as released": (DONE, on(pull(state="merged", deployed=True), production="no")),
    "said to be live": (LIVE, on(MERGED, production="no", staging="yes")),
    "not where it is said to be": (STAGED, on(MERGED, production="yes", staging="no")),
}
STANDING_THERE = {
    "in production": (DONE, on(MERGED, test="no", staging="unknown", prod="yes")),
    "somewhere, where none is called production": (DONE, on(MERGED, blue="no", green="yes")),
    "whatever counts as released": (DONE, on(pull(state="merged", deployed=False), production="yes")),
    "where it is said to be": (STAGED, on(MERGED, production="no", staging="yes")),
}


@pytest.mark.parametrize("name", STANDING_BEHIND)
def test_environments_tell_that_it_is_not_there(name):
    subject, snapshot = STANDING_BEHIND[name]
    (finding,) = judged(not_deployed.check, subject, snapshot).findings
    told = [cited for cited in finding.evidence if cited.locator.document_id.startswith("deployed:")]
    assert [cited.quote for cited in told] == [one.claim for one in snapshot.standings]
    assert all(cited.quote in one.evidence.text for cited, one in zip(told, snapshot.standings, strict=True))


def test_a_finding_says_where_it_is_and_where_not():
    snapshot = on(MERGED, staging="yes", production="no")
    (finding,) = judged(not_deployed.check, DONE, snapshot).findings
    since = f"{START:%Y-%m-%d %H:%M} UTC"
    assert finding.statement.endswith(f"is merged but on staging since {since}, not on production yet.")


def test_a_finding_stays_the_same_while_commits_come():
    now = on(MERGED, production="no")
    later = replace(
        now.standings[0], says=("Pull request 7 of shop is not on production yet: 9 commits stand between.",)
    )
    findings = [
        judged(not_deployed.check, DONE, replace(MERGED, standings=(standing,))).findings[0]
        for standing in (now.standings[0], later)
    ]
    assert findings[0].fingerprint == findings[1].fingerprint


@pytest.mark.parametrize("name", STANDING_THERE)
def test_environments_tell_that_it_is_there(name):
    subject, snapshot = STANDING_THERE[name]
    checked = judged(not_deployed.check, subject, snapshot)
    assert not checked.findings
    assert "is merged and " in checked.settled[0].what
    assert {f"deployed:{one.environment}" for one in snapshot.standings if one.contained != "unknown"} < checked.sources


def test_an_environment_that_could_not_be_read_is_no_finding():
    """What of it is not known, the snapshot tells."""
    checked = judged(not_deployed.check, DONE, on(MERGED, production="unknown", staging="yes"))
    assert checked == Checked()


VERSIONS = {
    "other release": ("2.3", ["release/2.4"], 1),
    "other line": ("Shop 2.3.1", ["2.4.x"], 1),
    "hotfix": ("v3.0", ["hotfix-2.9.4"], 1),
    "same": ("2.4", ["release/2.4"], 0),
    "patch of the line": ("2.4.1", ["release-2.4"], 0),
    "main": ("2.3", ["main"], 0),
    "stacked": ("2.3", ["feature/2.4-form"], 0),
    "one of two versions": ("2.3, 2.4", ["release/2.4"], 0),
    "with a backport": ("2.4", ["release/2.3", "release/2.4"], 0),
    "beside main": ("2.5", ["release/2.4", "main"], 0),
    "named release": ("Autumn", ["release/2.4"], 0),
    "named and numbered": ("2.3, Autumn", ["release/2.4"], 0),
    "no base": ("2.3", [""], 0),
}


@pytest.mark.parametrize("name", VERSIONS)
def test_the_version_of_the_base(name):
    version, bases, expected = VERSIONS[name]
    for field in ("Fix versions", "Fix Version/s"):
        subject = ticket(fields={field: version})
        snapshots = [pull(number, base=base) for number, base in enumerate(bases, start=1)]
        assert len(judged(other_base.check, subject, *snapshots).findings) == expected


def test_a_closed_pull_request_goes_nowhere():
    subject = ticket(fields={"Fix versions": "2.3"})
    assert not judged(other_base.check, subject, pull(state="closed", base="release/2.4")).findings


STORED = "migrations/0007_slip.sql"
ALTER = "+ALTER TABLE slip ADD COLUMN note text NOT NULL;"
TABLES = {
    "alter": (ticket(), STORED, ALTER, 1),
    "alembic": (ticket(), "db/alembic/versions/ab.py", '+    op.drop_column("slip", "note")', 1),
    "django": (ticket(), "slips/migrations/0002_note.py", "+        migrations.AlterField(", 1),
    "new table": (ticket(), STORED, "+CREATE TABLE slip (id int);", 0),
    "no migration": (ticket(), "src/a.py", "+x = 'ALTER TABLE slip'", 0),
    "taken away": (ticket(), STORED, ALTER.replace("+", "-", 1), 0),
    "spoken of": (ticket(description="Existing slips keep an empty note."), STORED, ALTER, 0),
    "spoken of in a comment": (ticket(comments=talk("Ana: The migration fills the old rows.")), STORED, ALTER, 0),
}


@pytest.mark.parametrize("name", TABLES)
def test_stored_data(name):
    subject, path, line, expected = TABLES[name]
    checked = judged(existing_data.check, subject, pull(files=[path]), heads=Heads({path: line}))
    assert [finding.category for finding in checked.findings] == ["data and migration"] * expected


def criteria(text):
    return ticket("Sold out", "Text.", fields={"Acceptance criteria": text})


HAS = Heads(
    {"src/a.py": '+    return "This sailing is full"\n+def seats_left(): ...'}, tree='route("/api/waiting/list")'
)
NAMES = {
    "message": (criteria("- The page says “No seats are left today”."), 1),
    "field": (criteria("- The answer has a field `waitingList`."), 1),
    "address": (criteria("- It can be read at /api/sailings/free."), 1),
    "present message": (criteria('- The page says "This sailing is full".'), 0),
    "present name": (criteria("- `seats_left` is zero."), 0),
    "present address": (criteria("- It can be read at /api/waiting/list."), 0),
    "one word": (criteria("- The button says “Gone”."), 0),
    "with a value": (criteria("- The page says “5 seats are left”."), 0),
    "not demanded": (ticket("Sold out", "People ask “Why is there nothing”."), 0),
    "forbidden": (criteria("- The page must not say “No seats are left today”."), 0),
}


@pytest.mark.parametrize("name", NAMES)
def test_what_the_criteria_name(name):
    subject, expected = NAMES[name]
    assert len(judged(named_in_pull.check, subject, pull(), heads=HAS).findings) == expected


@pytest.mark.parametrize(
    "snapshots",
    [
        [pull(state="draft")],
        [pull(gaps=["Only the first files were read."])],
        [pull(files=[ChangedFile("big.bin", "modified", special="binary")])],
        [pull(), pull(8, state="closed")],
    ],
)
def test_an_absence_that_does_not_count_is_an_unknown(snapshots):
    checked = judged(named_in_pull.check, criteria("- The page says “No seats are left today”."), *snapshots, heads=HAS)
    assert not checked.findings
    assert checked.unknowns


def test_an_absence_does_not_count_while_another_pull_request_was_not_read():
    subject = criteria("- The page says “No seats are left today”.")
    checked = named_in_pull.check(replace(pulled(subject, pull(), heads=HAS), all_pulls=False))
    assert not checked.findings
    assert "another one may be there that could not be read" in checked.unknowns[0].what


def test_a_message_over_two_lines_is_found():
    heads = Heads({"src/a.py": '+    "No seats are " \\\n+    "left today"'})
    subject = criteria("- The page says “No seats are left today”.")
    assert not judged(named_in_pull.check, subject, pull(), heads=heads).findings


HEADS = Heads({"src/a.py": "-def hold_seats(n):\n+def hold_seats(n, until):"}, symbols=["hold_seats"])
BODY = Heads({"src/a.py": " def hold_seats(n):\n+    log(n)"}, symbols=["hold_seats"])
ELSEWHERE = use("gate", "app/scan.py", "hold_seats(3)")
BESIDE = use("shop", "src/pay.py", "hold_seats(3)")
TEST = use("shop", "tests/test_pay.py", "hold_seats(3)")
USES = {
    "another repository": (ticket(), BODY, [ELSEWHERE], [Priority.P2]),
    "the same one, another signature": (ticket(), HEADS, [BESIDE], [Priority.P3]),
    "the same one, another body": (ticket(), BODY, [BESIDE], []),
    "tests": (ticket(), HEADS, [TEST], []),
    "nobody": (ticket(), HEADS, [], []),
    "spoken of by its file": (ticket(description="Also scan.py calls it."), BODY, [ELSEWHERE], []),
    "spoken of by its repository": (ticket(description="The gate has to be told."), BODY, [ELSEWHERE], []),
    "spoken of by its name": (ticket(description="hold_seats gets a second argument."), BODY, [ELSEWHERE], []),
}


@pytest.mark.parametrize("name", USES)
def test_who_else_uses_it(name):
    subject, heads, users, expected = USES[name]
    checked = judged(consumers.check, subject, pull(), heads=heads, users={"hold_seats": users})
    assert [finding.priority for finding in checked.findings] == expected


@pytest.mark.parametrize("name", ["_hold_seats", "main", "test_hold_seats", "of"])
def test_names_that_nobody_else_means(name):
    heads = Heads({"src/a.py": f"-def {name}(n):"}, symbols=[name])
    assert not judged(consumers.check, ticket(), pull(), heads=heads, users={name: [ELSEWHERE, BESIDE]}).findings


def test_a_word_alone_may_mean_something_else_in_another_repository():
    heads = Heads({"src/a.py": "-def content(n):"}, symbols=["content"])
    users = {"content": [use("gate", "app/scan.py", "content = read()")]}
    assert not judged(consumers.check, ticket(), pull(), heads=heads, users=users).findings


def test_without_pull_requests_they_have_nothing_to_say():
    subject = case(PARTY, bug("Party of nine"))
    for rule in (consumers, existing_data, named_in_pull, not_deployed, other_base, pull_conflict):
        assert not rule.check(subject).findings
