"""All seven rules at once over notes of people in a hurry, from further trades, with pages and bugs of their own."""

import pytest

from review.checks import RULES
from tests.review.cases import assert_cited, bug, case, change, link, page, talk, ticket

P, U, Q, C = "policy-conflict", "undecided", "unanswered-question", "changed-after-agreement"
L, A, E = "linked-ticket", "acceptance-criteria", "earlier-bug"
YARD_SHELF = (
    page(
        "Lost luggage",
        "We keep unclaimed suitcases for 90 days. Owners who report within 21 days get up to "
        "1,400 EUR for a lost suitcase.\n\nA tracer must call the passenger back within 24 "
        "hours.",
    ),
    page(
        "Brewing manual",
        "Wort is boiled for 70 minutes. Fermentation tanks are held between 18 and 22 °C. "
        "Each batch is tasted by at least three people before bottling.",
    ),
    page(
        "House rules of the day nursery",
        "Children can be picked up until 16:30.\n\n- Group size: 12 children\n- Sick children "
        "stay at home for 48 hours after a fever\n- Late pick-ups cost 15 EUR per started "
        "half hour",
    ),
    page(
        "Slope operations",
        "The lift stops at wind speeds above 60 km/h. A season card can be swapped once for "
        "free. Rescue must arrive within 15 minutes of a call.",
    ),
    page(
        "Vaccination terms",
        "Reminders for pets go out 14 days before the vaccination is due. No more than two reminders are sent.",
    ),
    page(
        "Playlist rules",
        "A song is not repeated within 4 hours. News start at minute 0 and last 3 minutes. "
        "Ads may fill at most 12 minutes per hour.",
    ),
    page(
        "Recycling yard: opening hours and limits",
        "A household may bring 2 cubic metres per visit. Tyres: max. 4 per year. Closes at 18:00, Saturdays at 14:00.",
    ),
    page("Meeting notes March", "We talked about keeping suitcases for 120 days."),
    page("Notary fees", "Copies cost 0.50 EUR a page. Certified copies are kept on file for 7 years."),
    bug(
        "Lift ticket not readable when wet",
        "Tickets that had got wet could not be read at the turnstile of the lift.",
        key="T-201",
    ),
    bug(
        "Batch label prints wrong date after midnight on New Year's Eve",
        "The batch label had last year's date.",
        key="T-202",
    ),
    bug(
        "Playlist export drops songs with an apostrophe in the title",
        "Songs with an apostrophe in the title were missing in the export of the playlist.",
        key="T-203",
    ),
    bug(
        "Pet owner gets reminder for a deceased animal",
        "The owner got a vaccination reminder for an animal that had died.",
        key="T-204",
    ),
    bug(
        "Pick-up list shows siblings twice if they are in different groups",
        "Siblings in different groups appeared twice on the pick-up list.",
        key="T-205",
    ),
)
NOTES = {
    "suitcase": (
        ticket(
            "Auction of unclaimed suitcases",
            "unclaimed suitcases get auctioned after 60 days.\n\nAC\n- list exported to the auction house",
        ),
        {P},
    ),
    "suitcase ok": (
        ticket(
            "Auction of unclaimed suitcases",
            "unclaimed suitcases get auctioned once we kept them 90 days (3 months).\n\nAC\n- list "
            "exported to the auction house",
        ),
        set(),
    ),
    "payout": (
        ticket(
            "Payout form", "Owners of a lost suitcase can claim up to 1.800 € in the form.\n\nAC:\n- IBAN is checked"
        ),
        {P},
    ),
    "tracer": (
        ticket(
            "Callback queue for tracers",
            "Queue sorts by age, tracer calls back the passenger within 2 days at the latest.\n\n"
            "*Acceptance criteria*\n* oldest on top",
        ),
        {P},
    ),
    "tracer other": (
        ticket(
            "Callback queue for tracers",
            "Queue refreshes every 30 seconds. Tracers see 20 calls per page.\n\n*Acceptance "
            "criteria*\n* oldest on top",
        ),
        set(),
    ),
    "boil": (
        ticket("Timer for the boil", "Timer on the kettle: wort boils 90 min, then beep.\n\nExpected: beep at the end"),
        {P},
    ),
    "tank": (
        ticket(
            "Alarm when a tank is too warm",
            "Alarm when a fermentation tank is above 22 °C.\n\nExpected: alarm on the phone of the shift",
        ),
        set(),
    ),
    "tasting": (
        ticket(
            "Tasting form", "Each batch gets tasted by two people before bottling, form stores who.\n\nAC: names stored"
        ),
        {P},
    ),
    "label": (
        ticket(
            "New printer for batch labels",
            "We print batch labels on the new printer.\n\nAC: label with batch no. and date",
        ),
        {E},
    ),
    "label cov": (
        ticket(
            "New printer for batch labels",
            "We print batch labels on the new printer.\n\nAC: right date also just after midnight at New Year",
        ),
        set(),
    ),
    "pickup": (
        ticket(
            "Pick-up reminder for parents",
            "Parents get a push at 17:00 that children must be picked up until 17:15.\n\nAC: push arrives",
        ),
        {P},
    ),
    "pickup list": (
        ticket(
            "Pick-up list on the tablet",
            "teachers tick off children on the pick-up list, no paper anymore\n\nAC: works offline",
        ),
        {E},
    ),
    "group": (
        ticket(
            "Waiting list for nursery groups",
            "group size is 12, next child moves up by itself.\n\nAC: mail to parents",
            comments=talk("Kay: Who decides when siblings compete?", "Lou: moved to next sprint"),
        ),
        {Q},
    ),
    "group2": (
        ticket(
            "Waiting list for nursery groups",
            "next child moves up.\n\nAC: mail to parents",
            comments=talk("Kay: Who decides when siblings compete?", "Lou: the head of the nursery does"),
        ),
        set(),
    ),
    "wind": (
        ticket(
            "Auto-stop for lifts",
            "lift stops by itself above 70 km/h wind speed\n\nDefinition of done: tested on the small lift",
        ),
        {P},
    ),
    "wet cov": (
        ticket(
            "Lift ticket on paper",
            "Print lift tickets on thin paper.\n\nDefinition of done: readable at all turnstiles, also wet",
        ),
        set(),
    ),
    "pets": (
        ticket(
            "Reminders for pets by text",
            "send the vaccination reminder by text 14 days before, max 3 reminders.\n\nAC: opt-out link works",
        ),
        {P, E},
    ),
    "pets open": (
        ticket("Fee for missed visits", "Fee: ?? EUR.\n\nAC: fee is on the bill, not for animals that died"),
        {U},
    ),
    "ads": (
        ticket("Ad planner", "Planner warns when ads fill more than 15 minutes per hour.\n\nAC: warning in red"),
        {P},
    ),
    "ads ok": (ticket("Ad planner", "Planner lets ads fill up to 10 minutes per hour.\n\nAC: warning in red"), set()),
    "playlist": (
        ticket("Playlist export for the web page", "Export the playlist so that listeners can see the songs."),
        {A, E},
    ),
    "signoff": (
        ticket(
            "Song requests",
            "Listeners request a song.\n\nAC: no song twice within 4 hours",
            comments=talk("Ed: ok from me", "Jo: great"),
            history=[
                change(
                    "description",
                    "Listeners request a song.\n\nAC: no song twice",
                    "Listeners request a song.\n\nAC: no song twice within 4 hours",
                    3,
                )
            ],
        ),
        {C},
    ),
    "signoff fmt": (
        ticket(
            "Song requests",
            "Listeners request a song.\n\nAC: no song twice",
            comments=talk("Ed: ok from me"),
            history=[
                change(
                    "description",
                    "Listeners request a song.\n\nAC:\n- no song twice",
                    "Listeners request a song.\n\nAC: no song twice",
                    3,
                ),
                change("assignee", "Jo", "Ed", 4),
            ],
        ),
        set(),
    ),
    "tyres": (
        ticket(
            "Tyre counter at the yard", "A household can hand in at most 8 tyres per year.\n\nAC: counter per household"
        ),
        {P},
    ),
    "yard": (
        ticket(
            "Yard queue camera",
            "Camera at the entry, picture every 5 minutes, page reloads.\n\nAC: no faces or plates",
            links=[link("is blocked by", "T-9", status="Waiting for legal", summary="Privacy check")],
        ),
        {L},
    ),
    "yard2": (
        ticket(
            "Yard queue camera",
            "Camera at the entry.\n\nAC: no faces",
            links=[
                link("is blocked by", "T-9", status="Released", done=True),
                link("is cloned by", "T-10", status="Rejected", done=True, resolution="Rejected"),
            ],
        ),
        set(),
    ),
    "notary": (
        ticket(
            "Archive of certified copies",
            "certified copies stay on file 7 years and are then shredded\n\nAC: list for the shredder",
            comments=talk("Ulf: hmm, who signs the list?", "Ada: let me ask", "Ada: the notary herself signs it"),
        ),
        set(),
    ),
    "notary2": (
        ticket(
            "Archive of certified copies",
            "certified copies stay on file for 10 years.\n\nAC: list for the shredder",
            comments=talk("Ulf: do we scan them first? would help", "Ulf: @Ada ?"),
        ),
        {P, Q},
    ),
    "rescue": (
        ticket(
            "Rescue map",
            "patrol sees the call on a map\n\nAC: position within 10 m",
            comments=talk("Max: is 15 minutes realistic for the north side?", "Eva: No, we will station a sled there."),
        ),
        set(),
    ),
}
DESK_SHELF = (
    page(
        "Data protection for donors",
        "Blood samples are destroyed after 5 years. A donor may give blood every 56 days, at "
        "most 6 times a year. Results are shown to the donor within 3 working days.",
    ),
    page(
        "Trading limits",
        "Orders above 250,000 EUR need a second pair of eyes. A quote is valid for 30 "
        "seconds. Clients are logged out after 10 minutes of inactivity.",
    ),
    page(
        "Chat conduct for agents",
        "First answer in the chat: within 60 seconds. An agent handles no more than 3 chats "
        "at once. Transcripts are deleted after 6 months.",
    ),
    page(
        "Gewährleistung",
        "Reklamationen sind innerhalb von 24 Monaten möglich. Die Rücksendung ist ab 40 EUR "
        "kostenlos. Jede Reklamation wird binnen 5 Werktagen bearbeitet.",
    ),
    page(
        "Test drives",
        "> Status: outdated, see Test drives 2026\n\nA test drive takes 60 minutes. The driver "
        "must be at least 25 years old.",
    ),
    page(
        "Test drives 2026",
        "A test drive takes 45 minutes. The driver must be at least 21 years old and brings the licence.",
    ),
    page(
        "Greenhouse",
        "Irrigation runs twice a day for 8 minutes. Humidity stays between 60 and 75 %. Above 32 °C the roof opens.",
    ),
    bug(
        "Donor invited twice in a row after moving to another town",
        "Donors that had moved to another town were invited by both centres.",
        key="T-301",
    ),
    bug(
        "Quote shows stale price while the market is halted",
        "The market was halted and the quote kept the old price.",
        key="T-302",
    ),
    bug("Chat transcript cut off when it contains an emoji", "The transcript ended at the first emoji.", key="T-303"),
    bug("Irrigation starts in pouring rain because of a broken sensor", key="T-304", resolution="Won't Fix"),
    bug(
        "Rücksendeetikett leer bei Adressen im Ausland",
        "Das Rücksendeetikett war leer, wenn die Adresse im Ausland lag.",
        key="T-305",
        kind="Fehler",
    ),
)
AC = "\n\nAcceptance criteria:\n- "
MORE_NOTES = {
    "blood count": (
        ticket(
            "Next date for donors",
            "Donors see how many of their 6 donations a year are left." + AC + "zero is shown in grey",
        ),
        set(),
    ),
    "samples": (
        ticket(
            "Freezer inventory",
            "Inventory lists blood samples, they get destroyed after 10 years." + AC + "list per freezer",
        ),
        {P},
    ),
    "results": (
        ticket("Results online", "Donor sees the results online within 2 working days." + AC + "push when there"),
        set(),
    ),
    "invite": (
        ticket("Invite donors by post", "We invite each donor by post, too." + AC + "letter has the town's crest"),
        {E},
    ),
    "invite2": (
        ticket("Donor invitation as a push", "Donors get invited by push." + AC + "tap opens the booking"),
        {E},
    ),
    "order": (
        ticket(
            "Second approver in the order form",
            "Orders over EUR 500k go to a second trader first, a second pair of eyes." + AC + "name of both in the log",
        ),
        {P},
    ),
    "quote": (
        ticket(
            "Quote ticker",
            "Quote stays valid 30s, the ring turns red at 5s."
            + AC
            + "ring is visible in dark mode\n- price stays when the market is halted",
        ),
        set(),
    ),
    "logout": (
        ticket(
            "Keep clients signed in", "Log out clients after 30 min of inactivity." + AC + "banner one minute before"
        ),
        {P},
    ),
    "chat": (ticket("Chat load", "An agent can take up to 5 chats at once" + AC + "sixth one waits"), {P}),
    "chat sla": (
        ticket(
            "Chat load", "bot says hello after 5 seconds, then an agent takes over" + AC + "name of the agent is shown"
        ),
        set(),
    ),
    "transcript": (
        ticket(
            "Mail the chat transcript", "customer gets the chat transcript by mail" + AC + "sent at the end of the chat"
        ),
        {E},
    ),
    "transcript keep": (
        ticket(
            "Archive of chat transcripts",
            "transcripts are deleted after 1/2 year, that's the law I think" + AC + "job runs nightly",
        ),
        {E},
    ),
    "chat open": (
        ticket("Survey after the chat", "Short survey, scale yet to be agreed with Ines." + AC + "shown once"),
        {U},
    ),
    "chat decided": (
        ticket(
            "Survey after the chat",
            "Short survey." + AC + "scale of 1 to 5",
            comments=talk("Ines: scale is TBD for now", "Ole: decided in the weekly: scale of 1 to 5, no stars"),
        ),
        set(),
    ),
    "chat asked": (
        ticket(
            "Survey after the chat",
            "Short survey." + AC + "shown once",
            comments=talk(
                "Ines: Should it also pop up when the agent ended the chat, or only if the customer did?",
                "Ole: figma is updated",
                "Tea: nice!",
            ),
        ),
        {Q},
    ),
    "chat nudge": (
        ticket(
            "Survey after the chat",
            "Short survey." + AC + "shown once",
            comments=talk("Ines: @Ole can you have a look at the mockup pls?", "Tea: any news?"),
        ),
        set(),
    ),
    "rekla": (
        ticket(
            "Reklamation im Konto",
            "Kunden reklamieren im Konto.\n\nAkzeptanzkriterien:\n- Reklamationen sind innerhalb "
            "von 12 Monaten möglich",
        ),
        {P},
    ),
    "rekla ok": (
        ticket(
            "Reklamation im Konto",
            "Kunden reklamieren im Konto, zwei Jahre lang.\n\nAkzeptanzkriterien:\n- Reklamationen "
            "sind innerhalb von 2 Jahren möglich\n- jede Reklamation wird in 5 Werktagen "
            "bearbeitet",
        ),
        set(),
    ),
    "drive": (
        ticket(
            "Book a test drive", "A test drive takes 60 minutes, slots every full hour." + AC + "mail with the address"
        ),
        {P},
    ),
    "drive age": (
        ticket("Book a test drive", "Ask for the age, the driver must be at least 21." + AC + "mail with the address"),
        set(),
    ),
    "water": (
        ticket("Irrigation plan", "Irrigation runs twice daily, 8 min each time" + AC + "plan is printed"),
        set(),
    ),
    "roof": (ticket("Roof motor", "Roof opens above 35 °C" + AC + "closes again at night"), {P}),
    "approve": (
        ticket(
            "Greenhouse tour",
            "Tours on Fridays." + AC + "max. 15 guests\n- shoes are provided",
            comments=talk("Ben: Approved."),
            history=[
                change(
                    "description",
                    "Tours on Fridays." + AC + "max. 15 guests",
                    "Tours on Fridays." + AC + "max. 15 guests\n- shoes are provided",
                    6,
                )
            ],
        ),
        {C},
    ),
    "approve2": (
        ticket(
            "Greenhouse tour",
            "Tours on Fridays." + AC + "max. 15 guests\n- shoes are provided",
            comments=talk("Ben: Approved if shoes are provided"),
            history=[
                change(
                    "description",
                    "Tours on Fridays." + AC + "max. 15 guests",
                    "Tours on Fridays." + AC + "max. 15 guests\n- shoes are provided",
                    6,
                )
            ],
        ),
        set(),
    ),
    "nothing": (ticket("Make the donor page nicer", "It looks old. Maybe like the one of the neighbours?"), {A}),
    "blocked": (
        ticket(
            "Watch app", "see epic" + AC + "installs from the store", links=[link("requires", "T-5", status="Backlog")]
        ),
        {L},
    ),
    "dup": (
        ticket(
            "Watch app",
            "see epic" + AC + "installs from the store",
            links=[link("duplicates", "T-5", status="Rejected", done=True, resolution="Rejected")],
        ),
        set(),
    ),
}

GARDEN_SHELF = (
    page(
        "Rules of the allotment garden",
        "Hedges are cut to 1.25 metres. Compost heaps keep 50 cm distance to the fence. "
        "Noise is not allowed between 13:00 and 15:00. The lease ends with three months' "
        "notice.",
    ),
    page(
        "Elevator service contract",
        "Trapped people are freed within 45 minutes. Each lift is serviced 4 times a year. "
        "Spare parts arrive in 2 working days.",
    ),
    page(
        "Translation style and terms",
        "Delivery: 2,500 words per translator and day. A quote is sent within 4 hours. "
        "Corrections are free for 30 days after delivery.",
    ),
    page(
        "Lost property of the tram",
        "Found items are kept for 6 months. The finder's fee is 5 % of the value. The counter closes at 17:00.",
    ),
    page(
        "Scholarship rules",
        "Applicants need at least 80 credits. The grant is 750 EUR per month and is paid for "
        "10 months. A report is due every semester.",
    ),
    page("Old scholarship rules", "This page is no longer valid. The grant is 650 EUR per month.", archived=False),
    bug(
        "Emergency call of a lift drops when the battery is low",
        "The call dropped as soon as the battery of the lift was low.",
        key="T-401",
    ),
    bug(
        "Invoice for translation shows net amount twice for customers abroad",
        "The net amount stood twice on the invoice for customers abroad.",
        key="T-402",
    ),
    bug(
        "Lease renewal mail goes to the former tenant after a handover",
        "The former tenant got the renewal mail.",
        key="T-403",
    ),
    bug("Grant paid late when the first of the month is a Sunday", "The grant arrived on Tuesday.", key="T-404"),
)
LAST_NOTES = {
    "hedge ok": (
        ticket("Inspection form", "Inspector ticks if hedges are above 125 cm." + AC + "photo can be added"),
        set(),
    ),
    "lease": (
        ticket("Give notice online", "Tenants end the lease online, two months' notice." + AC + "letter as PDF"),
        {P},
    ),
    "renewal": (
        ticket("Lease renewal by mail", "Tenants get the lease renewal as a mail." + AC + "one mail a year"),
        {E},
    ),
    "service": (
        ticket("Plan service visits", "Plan 4 service visits per lift and year." + AC + "no visits on holidays"),
        set(),
    ),
    "emergency": (
        ticket(
            "Emergency call of a lift over 5G",
            "The emergency call of a lift goes over 5G, ISDN is switched off." + AC + "voice within 10 seconds",
        ),
        {E},
    ),
    "emergency cov": (
        ticket(
            "Emergency call of a lift over 5G",
            "The emergency call of a lift goes over 5G." + AC + "holds for 1 h even with a low battery",
        ),
        set(),
    ),
    "words": (
        ticket("Assign translators", "One translator gets up to 4,000 words per day." + AC + "no one works on Sundays"),
        {P},
    ),
    "invoice": (
        ticket(
            "Translation invoice as e-invoice",
            "Invoices for translations as XML." + AC + "validates, also for customers abroad: net amount once",
        ),
        set(),
    ),
    "correct": (
        ticket(
            "Ask for a correction",
            "customers ask for corrections, free for a month after delivery" + AC + "comment per sentence",
        ),
        set(),
    ),
    "lost": (
        ticket("List of found items", "Found items are listed for 6 months, then sold." + AC + "search by colour"),
        set(),
    ),
    "fee": (
        ticket("Finder's fee", "Calculate the finder's fee, 10 % of the value." + AC + "rounded to full euros"),
        {P},
    ),
    "counter": (
        ticket(
            "Opening hours on the page",
            "Tell people that the counter closes at 18:00." + AC + "visible without scrolling",
        ),
        {P},
    ),
    "grant": (
        ticket("Grant letter", "The letter names the grant: 750 € a month, for 10 months" + AC + "signed by the dean"),
        set(),
    ),
    "grant2": (ticket("Grant letter", "The letter names the grant: 650 € a month" + AC + "signed by the dean"), {P}),
    "grant3": (
        ticket(
            "Pay the grant by instant transfer",
            "Grant is paid by instant transfer." + AC + "arrives on the first of the month",
        ),
        {E},
    ),
    "credits": (
        ticket(
            "Application check",
            "check credits automatically; whether credits from abroad count is still open" + AC + "at least 80 credits",
        ),
        {U},
    ),
    "credits2": (
        ticket(
            "Application check",
            "check credits" + AC + "at least 80 credits",
            comments=talk("Uwe: And credits from abroad??", "Ria: count in full, see the rules", "Uwe: 👍"),
        ),
        set(),
    ),
    "credits3": (
        ticket(
            "Application check",
            "check credits" + AC + "at least 80 credits",
            comments=talk("Uwe: What about credits from abroad?", "Uwe: bump", "Ria: I'm out until Monday"),
        ),
        {Q},
    ),
    "sem": (
        ticket(
            "Semester report",
            "Upload as PDF, due each semester." + AC + "receipt by mail",
            comments=talk("Dean: I'm happy with this"),
            history=[change("summary", "Annual report", "Semester report", 9)],
        ),
        {C},
    ),
    "sem2": (
        ticket(
            "Semester report",
            "Upload as PDF, due each semester." + AC + "receipt by mail",
            comments=talk("Dean: I'd be happy with this once the date is in"),
            history=[change("summary", "Annual report", "Semester report", 9)],
        ),
        set(),
    ),
    "theme": (ticket("Dark mode", "As a student I want dark mode because of my eyes."), {A}),
    "theme2": (
        ticket(
            "Dark mode",
            "As a student I want dark mode.\n\nTest cases\n- contrast 7:1\n- follows the system",
            links=[link("relates to", "T-8", status="Closed", done=True, resolution="Duplicate")],
        ),
        set(),
    ),
}

SETS = ((NOTES, YARD_SHELF), (MORE_NOTES, DESK_SHELF), (LAST_NOTES, GARDEN_SHELF))
EVERY = [pytest.param(*noted, shelf, id=name) for notes, shelf in SETS for name, noted in notes.items()]


@pytest.mark.parametrize(("subject", "expected", "shelf"), EVERY)
def test_says_what_it_should_and_no_more(subject, expected, shelf):
    checked = {rule.id: rule.check(case(subject, *shelf)) for rule in RULES}
    assert {name for name, found in checked.items() if found.findings} == expected
    for found in checked.values():
        assert_cited(case(subject), found, shelf)
