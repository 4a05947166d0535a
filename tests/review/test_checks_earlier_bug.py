import pytest

from review.checks.earlier_bug import check
from review.types import Priority
from tests.review.cases import assert_cited, bug, case, link, page, talk, ticket

EXPORT = bug("Export of guests loses rows when a name contains a comma", "The guest export drops the row.")
CATCHES = {
    "export": (ticket("Export guests to a spreadsheet", "Hotels download all guests."), EXPORT),
    "while": (
        ticket("Resume the download of audio books", "A listener resumes a download."),
        bug("Download of audio books starts over while roaming abroad", "The download began at zero in roaming."),
    ),
    "after": (
        ticket("Remind parents of school fees", "Send a reminder of school fees."),
        bug("Reminder of school fees sent twice after the clocks change", "Twice on the night the clocks changed."),
    ),
    "with": (
        ticket("Print shipping labels in bulk", "Print many shipping labels."),
        bug(
            "Shipping labels print blank with umlauts in the street", "The labels were blank for Müllerstraße umlauts."
        ),
    ),
    "condition in the text only": (
        ticket("Recalculate the insurance premium online", "Show the new premium."),
        bug(
            "Insurance premium recalculated wrongly",
            "It happened if the policyholder had moved abroad during the year.",
        ),
    ),
    "on": (
        ticket("Merge duplicate patient records", "Nurses merge records."),
        bug("Merge of patient records fails on a timeout", "The merge failed on a timeout of the archive."),
    ),
    "no condition word": (
        ticket("Save the level of a player", "Players save their level."),
        bug("Saved level lost: full disk, tablet", "The level of the player was lost, full disk on a tablet."),
    ),
    "german": (
        ticket("Rechnungen per Mail versenden", "Wir versenden Rechnungen an Kunden."),
        bug(
            "Rechnungen doppelt versendet, wenn der Server neu startet",
            "Nach dem Neustart gingen Rechnungen doppelt raus, der Server war neu gestartet.",
            kind="Fehler",
        ),
    ),
    "defect as type": (
        ticket("Export guests to a spreadsheet", "Hotels download all guests."),
        bug("Export of guests loses rows when a name contains a comma", kind="Defect"),
    ),
    "one word of the condition": (
        ticket("Export guests to a spreadsheet", "Hotels download all guests, the name first."),
        bug("Guest export is empty after the name was changed", "The name was changed and the export was empty."),
    ),
    "one of two conditions": (
        ticket("Freeze the price of a hotel room", "A price stays. After the deadline it is free again."),
        bug(
            "Frozen price of a room lost when the deadline passed during an outage",
            "The deadline passed while there was an outage, and the price was lost.",
        ),
    ),
    "another form of the verb": (
        ticket("Freeze the price of a hotel", "A price stays as it is."),
        bug("Price unfrozen or not frozen across midnight", "Nobody had frozen the price across midnight."),
    ),
    "the deed gone wrong": (
        ticket("Charge deposits at the desk", "The desk charges deposits."),
        bug("Deposits overcharged on a leap day", "Guests were overcharged on a leap day."),
    ),
}
GUESTS = ticket("Export guests to a spreadsheet", "Hotels download all guests.")
LOOK_ALIKES = {
    "covered in the text": (ticket("Export guests", "Names that contain a comma stay in one cell."), EXPORT),
    "covered in a comment": (
        ticket("Export guests", "All.", comments=talk("Ana: Mind names containing a comma.")),
        EXPORT,
    ),
    "covered in a field": (
        ticket("Export guests", "All.", fields={"Test notes": "a comma contained in names"}),
        EXPORT,
    ),
    "linked": (ticket("Export guests", "All.", links=[link("relates to", "T-90")]), EXPORT),
    "named": (ticket("Export guests", "See T-90 for what went wrong before."), EXPORT),
    "still open": (GUESTS, bug("Export of guests loses rows when a name contains a comma", done=False)),
    "never repaired": (GUESTS, bug("Export of guests loses rows when a name contains a comma", resolution="Won't Fix")),
    "duplicate": (GUESTS, bug("Export of guests loses rows when a name contains a comma", resolution="Duplicate")),
    "not reproducible": (
        GUESTS,
        bug("Export of guests loses rows when a name contains a comma", resolution="Cannot Reproduce"),
    ),
    "a story": (GUESTS, bug("Export guests when a name contains a comma", kind="Story")),
    "another matter": (GUESTS, bug("Guests cannot log in when the password contains a comma", "The login fails.")),
    "another matter, one word shared": (
        ticket("Print shipping labels in bulk", "Many."),
        bug("Shipping costs wrong if the parcel is heavy", "Costs."),
    ),
    "a list is a list": (
        ticket("Waiting list for dance groups", "The next child moves up."),
        bug("Shopping list shows items twice if groups share it", "Groups that share a list saw items twice."),
    ),
    "both conditions covered": (
        ticket("Freeze the price of a hotel room", "Also when the deadline passes during an outage."),
        bug(
            "Frozen price of a room lost when the deadline passed during an outage",
            "The deadline passed while there was an outage.",
        ),
    ),
    "a page": (GUESTS, page("Export of guests loses rows when a name contains a comma", "Export guests rows comma.")),
    "german, covered": (
        ticket("Rechnungen versenden", "Auch wenn der Server neu startet, gehen Rechnungen nur einmal raus."),
        bug("Rechnungen doppelt versendet, wenn der Server neu startet", "Doppelt.", kind="Fehler"),
    ),
}

REPAIRED = [
    bug(
        "Waiting list skips a child when two parents apply at the same minute",
        "Two applications arrived within a minute and the child was skipped in the waiting list.",
        key="K-1",
    ),
    bug(
        "Printed menu shows yesterday's dishes after midnight",
        "The kitchen printed the menu after midnight.",
        key="K-2",
    ),
    bug(
        "Invoice total rounds wrongly with three or more discounts", "The invoice total differed by a cent.", key="K-3"
    ),
    bug(
        "Reminder mail is sent to cancelled guests in leap years",
        "On 29 February the reminder mail went out to cancelled guests.",
        key="K-4",
    ),
    bug("Photo upload hangs on slow mobile networks", "The upload of a photo hangs on slow networks.", key="K-5"),
    bug("Score is lost when the player closes the lid of the laptop", "The score of the match is lost.", key="K-6"),
]
TOUCHING = {
    "wl": ("Show position on the waiting list", "Parents see the position of their child on the waiting list."),
    "menu": ("Print the menu in two languages", "The kitchen prints the menu in German and English."),
    "invoice": ("Show the invoice total in the app", "Customers see the invoice total."),
    "mail": ("Reminder mail for guests", "Send a reminder mail to guests a day before arrival."),
    "photo": ("Photo upload for damage reports", "People upload photos of a damage."),
    "score": ("Share the score of a player", "A player shares the score of a match."),
}
APART = {
    "wl cov": (
        "Show position on the waiting list",
        "Also when two parents apply at the same minute, the child has one position.",
    ),
    "menu other": ("Order from the menu", "Guests order dishes with their phone."),
    "invoice other": ("Send invoices by mail", "Customers get invoices by mail."),
    "mail cov": ("Reminder mail for guests", "No mail for cancelled guests, also in leap years (29 February)."),
    "photo other": ("Photo of the month", "Vote for a photo."),
    "score other": ("Credit score of applicants", "Ask the bureau for a score."),
    "list other": ("Packing list for tents", "List of what to bring."),
    "parents": ("Parents' evening", "Parents can sign up for the evening, a child comes along."),
    "total": ("Total of pupils per class", "Show the total of pupils."),
    "laptop": ("Lend a laptop", "Pupils lend a laptop."),
}


@pytest.mark.parametrize("name", TOUCHING)
def test_catches_among_several_bugs(name):
    subject = case(ticket(*TOUCHING[name]), *REPAIRED)
    checked = check(subject)
    assert len(checked.findings) == 1
    assert_cited(subject, checked, REPAIRED)


@pytest.mark.parametrize("name", APART)
def test_leaves_alone_among_several_bugs(name):
    assert not check(case(ticket(*APART[name]), *REPAIRED)).findings


@pytest.mark.parametrize("name", CATCHES)
def test_catches(name):
    subject, earlier = CATCHES[name]
    checked = check(case(subject, earlier))
    assert [finding.priority for finding in checked.findings] == [Priority.P2]
    assert_cited(case(subject), checked, [earlier])
    assert checked.findings[0].evidence[0].locator == earlier.locator


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_leaves_alone(name):
    subject, earlier = LOOK_ALIKES[name]
    assert not check(case(subject, earlier)).findings


def test_finds_its_own_among_the_others():
    every = [replaced(earlier, number) for number, (_, earlier) in enumerate(CATCHES.values()) if number < 8]
    for name, (subject, earlier) in list(CATCHES.items())[:8]:
        titles = [finding.statement for finding in check(case(subject, *every)).findings]
        assert len(titles) == 1, name
        assert earlier.locator.title.split(" ", 1)[1][:30] in titles[0]


def replaced(earlier, number):
    title = earlier.locator.title.split(" ", 1)[1]
    return bug(title, earlier.text.split("\n\n", 1)[1], key=f"T-{number + 50}", kind=earlier.attributes["type"])
