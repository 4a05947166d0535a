import pytest

from review.checks.policy_conflict import check
from tests.review.cases import assert_cited, case, page, talk, ticket

LOCK = page("Sign-in security", "After five failed login attempts the account is locked for 30 minutes.")
RETURNS = page("Returns", "Customers may return items within 30 days of delivery. Refunds are paid within 10 days.")
UPLOAD = page("File handling", "Photos of a damage claim may be up to 10 MB each. A claim takes at most 20 photos.")
SCHOOL = page(
    "Exam rules",
    "## Retakes\nPupils may repeat an exam twice.\n\nA retake must be requested within 14 days of the exam.",
)
CLINIC = page("Appointments", "Patients can cancel an appointment free of charge until 24 hours before it starts.")
GAME = page(
    "Fair play",
    "| Rule | Limit |\n|---|---|\n| Friends in a guild | 50 players |\n| Daily playing time for minors | 90 minutes |",
)
INSURE = page("Tariff guide", "The deductible for water damage is 300 EUR. The deductible for theft is 150 EUR.")
SHIP = page("Carrier manual", "Parcels over 31.5 kg are refused at the counter. Same-day orders close at 14:00.")
PASSWORD = page("Password rules", "Passwords must have at least 12 characters.")
DISCOUNT = page("Pricing", "Staff may grant a discount of at most 15 % without approval.")
FRIST = page(
    "Mahnwesen", "Die erste Mahnung wird nach 14 Tagen verschickt. Es gibt höchstens drei Mahnungen je Rechnung."
)
SUPPORT = page(
    "Service levels", "Urgent requests must be answered within 4 hours. Normal requests must be answered within 2 days."
)

CATCHES = {
    "attempts": (ticket("Lock accounts", "Lock the account after 3 failed login attempts."), LOCK),
    "words for numbers": (ticket("Lock accounts", "Lock the account after three failed attempts to login."), LOCK),
    "duration in another unit": (
        ticket("Lock accounts", "After five failed login attempts lock the account for one hour."),
        LOCK,
    ),
    "return window": (ticket("Return form", "Customers can return items within 14 days of delivery."), RETURNS),
    "size": (ticket("Upload photos", "Photos of a damage may be up to 25 MB."), UPLOAD),
    "count above a bound": (ticket("Upload photos", "Let people attach at most 30 photos to a claim."), UPLOAD),
    "school": (ticket("Retake form", "A retake can be requested within 3 weeks of the exam."), SCHOOL),
    "clinic": (
        ticket("Cancel online", "Patients may cancel an appointment free of charge until 48 hours before."),
        CLINIC,
    ),
    "table": (ticket("Bigger guilds", "A guild holds up to 80 players, all friends."), GAME),
    "table, hours": (ticket("Playing time", "The daily playing time for minors ends after 2 hours."), GAME),
    "money": (ticket("Water damage", "Show the deductible for water damage of €250."), INSURE),
    "mass": (ticket("Heavy parcels", "Parcels over 35 kg are refused at the counter."), SHIP),
    "time of day": (ticket("Same-day banner", "Same-day orders close at 4 pm."), SHIP),
    "below a lower bound": (ticket("Sign up", "Passwords must have at least 8 characters."), PASSWORD),
    "above an upper bound": (ticket("Till", "Staff grant a discount of 20 percent without approval."), DISCOUNT),
    "field": (
        ticket("Till", "See below.", fields={"Acceptance criteria": "Staff may grant 25% discount without approval."}),
        DISCOUNT,
    ),
    "decided in a comment": (
        ticket(
            "Lock accounts",
            "Lock them.",
            comments=talk("Ana: Decided: the account is locked after 10 failed login attempts."),
        ),
        LOCK,
    ),
    "wrong about today": (
        ticket("More attempts", "Raise the failed login attempts before the account is locked from 4 to 8."),
        LOCK,
    ),
    "bug that expects something else": (
        ticket("Locked too late", "Expected: the account is locked after 4 failed login attempts.", kind="Bug"),
        LOCK,
    ),
    "german": (ticket("Mahnlauf", "Die erste Mahnung soll nach 7 Tagen verschickt werden."), FRIST),
    "german, bound": (ticket("Mahnlauf", "Es gibt fünf Mahnungen für jede Rechnung."), FRIST),
    "hyphened noun": (
        ticket("Call plan", "A patient gets 5 phone follow-ups after surgery."),
        page("Aftercare", "A patient gets three phone follow-ups after surgery."),
    ),
    "people": (
        ticket("Visits", "Up to six people visit a patient at the same time."),
        page("Visits", "At most two people may visit a patient at the same time."),
    ),
    "per thing": (
        ticket("Coach plan", "Each coach takes up to 60 pupils."),
        page("School trips", "There are at most 50 pupils per coach."),
    ),
    "something told behind": (
        ticket("Trip mails", "A parent gets at most 7 mails a trip, afterwards the website alone shows changes."),
        page("School trips", "A parent gets at most 4 mails a trip, photos and changes of plan together."),
    ),
    "label in front": (
        ticket("Timer on the oven", "New timer: bread bakes 70 minutes, then it rings."),
        page("Bakery", "Bread is baked for 50 minutes."),
    ),
    "code of the currency first": (
        ticket("Approvals", "Orders above EUR 20k need two signatures."),
        page("Purchasing", "Orders above 5,000 EUR need two signatures."),
    ),
    "noun first": (
        ticket("Yard", "A household brings at most 8 tyres per year."),
        page("Yard", "Tyres of a household: max. 4 per year"),
    ),
    "obligation": (ticket("Desk", "Urgent requests are answered within 8 hours."), SUPPORT),
}
LOOK_ALIKES = {
    "same value": (ticket("Lock accounts", "Lock the account after 5 failed login attempts."), LOCK),
    "same value in another unit": (
        ticket("Lock accounts", "The account is locked for half an hour after failed login."),
        LOCK,
    ),
    "same value by a month": (
        ticket("Return form", "Customers can return items within one month of delivery."),
        RETURNS,
    ),
    "another quantity of the page": (ticket("Refund mail", "Refunds are paid within 10 days, says the mail."), RETURNS),
    "another subject": (ticket("Reminder", "Remind customers of items in their cart after 3 days."), RETURNS),
    "another counted thing": (ticket("Names", "User names have at most 20 characters."), PASSWORD),
    "another sort of the same": (ticket("Theft", "The deductible for theft is 150 EUR."), INSURE),
    "stricter than a lower bound": (ticket("Sign up", "Passwords must have at least 16 characters."), PASSWORD),
    "within an upper bound": (ticket("Till", "Staff grant a discount of 10 % without approval."), DISCOUNT),
    "within an obligation": (ticket("Desk", "Urgent requests are answered within 1 hour."), SUPPORT),
    "change with the right value of today": (
        ticket("More attempts", "Raise the failed login attempts before the account is locked from 5 to 8."),
        LOCK,
    ),
    "change named as the purpose": (
        ticket(
            "Raise the lock limit to 8 failed login attempts", "The account is locked after 8 failed login attempts."
        ),
        LOCK,
    ),
    "instead of": (
        ticket("Returns", "Customers may return items within 60 days instead of 30 days of delivery."),
        RETURNS,
    ),
    "actual result of a bug": (
        ticket(
            "Lock",
            "Actual: the account is locked after 3 failed login attempts.\nExpected: locked after 5.",
            kind="Bug",
        ),
        LOCK,
    ),
    "what a bug complains of": (
        ticket("Lock", "My account is locked after 3 failed login attempts!", kind="Bug"),
        LOCK,
    ),
    "archived page": (
        ticket("Lock", "Lock the account after 3 failed login attempts."),
        page("Old", LOCK.text, archived=True),
    ),
    "superseded page": (
        ticket("Lock", "Lock the account after 3 failed login attempts."),
        page("Sign-in 2019", f"Superseded by the new rules.\n\n{LOCK.text}"),
    ),
    "superseded, in a box": (
        ticket("Lock", "Lock the account after 3 failed login attempts."),
        page("Sign-in 2019", f"> Superseded on 1 May by the new rules.\n\n{LOCK.text}"),
    ),
    "obsolete, as a status": (
        ticket("Lock", "Lock the account after 3 failed login attempts."),
        page("Sign-in 2019", f"**Status:** obsolete because of the new rules\n\n{LOCK.text}"),
    ),
    "per another thing": (
        ticket("Coach plan", "Each guide takes up to 60 pupils."),
        page("School trips", "There are at most 50 pupils per coach."),
    ),
    "page that was replaced": (
        ticket("Lock", "Lock the account after 3 failed login attempts."),
        page("Sign-in", f"{LOCK.text}\n\nThis page has been replaced by Sign-in 2."),
    ),
    "draft": (ticket("Lock", "Lock the account after 3 failed login attempts."), page("Draft: sign-in", LOCK.text)),
    "minutes": (ticket("Lock", "Lock the account after 3 failed login attempts."), page("Meeting notes", LOCK.text)),
    "what the page says was": (
        ticket("Lock", "Lock the account after 3 failed login attempts."),
        page("Sign-in", "Previously the account was locked after five failed login attempts."),
    ),
    "example": (ticket("Lock", "For example, someone with 3 failed login attempts on the account."), LOCK),
    "question": (ticket("Lock", "Should we lock the account after 3 failed login attempts?"), LOCK),
    "date and key": (ticket("Lock", "See T-3 of 2026-03-05 on failed login attempts, account locked, step 3."), LOCK),
    "working days against days": (
        ticket("Retake", "A retake must be requested within 5 working days of the exam."),
        SCHOOL,
    ),
    "nothing found": (ticket("Lock", "Lock the account after 3 failed login attempts."), SHIP),
    "code": (ticket("Lock", "```\nlock account after 3 failed login attempts\n```"), LOCK),
    "rate": (ticket("Desk", "Normal requests are limited to 10 per minute."), SUPPORT),
    "german, same": (ticket("Mahnlauf", "Die erste Mahnung geht nach zwei Wochen raus."), FRIST),
    "german, fewer than the bound": (ticket("Mahnlauf", "Es gibt zwei Mahnungen je Rechnung."), FRIST),
}

HANDBOOK = [
    page(
        "Data retention",
        """# Data retention

This page says how long we keep personal data.

| Data | Kept for |
|---|---|
| Job applications | 6 months |
| Customer orders | 10 years |
| Chat transcripts | 90 days |
| Access logs | 14 days |

Backups are deleted after 35 days. Deleted accounts can be restored for 30 days.""",
    ),
    page(
        "Delivery promises",
        """Standard delivery takes 3 to 5 working days. Express delivery arrives within 24 hours.

Orders above 50 EUR are delivered free of charge. Below that we charge 4.90 EUR for standard delivery.

A delivery slot can be changed up to two times. If the customer is not at home, the driver tries again on the next
two days.""",
    ),
    page(
        "Medication safety",
        """Every dispensed medicine is checked by two nurses. Insulin may be stored outside the fridge for at most
28 days.

The temperature of the fridge must stay between 2 and 8 °C. Doses above 500 mg need a second signature.""",
    ),
    page(
        "Support hours",
        """Our phone line is open from 8:00 to 18:00. Chat is answered within 2 minutes on average.

Complaints must be acknowledged within 2 business days and closed within 15 business days.""",
    ),
    page(
        "Library lending rules",
        """Adults may borrow up to 10 books at the same time. Children may borrow 5 books. The loan period is four
weeks. A loan can be renewed three times unless someone has reserved the book. Late fees are 0.20 EUR per day.""",
    ),
    page(
        "Account security",
        """Sessions end after 15 minutes without activity. One-time codes are six digits long and expire after 5
minutes. Passwords must be at least 12 characters long. A reset link is valid for 60 minutes.""",
    ),
    page(
        "Rabattregeln",
        """Gutscheine sind drei Jahre gültig. Pro Bestellung kann nur ein Gutschein eingelöst werden. Der
Mitarbeiterrabatt beträgt 15 %. Rücksendungen sind innerhalb von 30 Tagen kostenlos.""",
    ),
    page(
        "Tournament rules",
        """A team consists of 5 players and may name two substitutes. A match lasts at most 40 minutes. Players who
leave twice are banned for 7 days.""",
    ),
    page(
        "Travel expenses",
        """Hotel costs are refunded up to 120 EUR per night. Receipts must be handed in within 30 days after the
trip. The daily allowance is 28 EUR.""",
    ),
]
CONTRADICTING = {
    "chat 1y": ("Archive chats", "Chat transcripts are kept for one year and then deleted."),
    "logs": ("Show logs", "Access logs are kept for 30 days."),
    "applications": ("Applicant portal", "Delete job applications after 12 months."),
    "restore": ("Undo account deletion", "Users can restore a deleted account within 60 days."),
    "free delivery": ("Cart banner", "Delivery is free of charge for orders above 30 EUR."),
    "slot": ("Change the slot", "Customers can change their delivery slot up to four times."),
    "insulin": ("Insulin timer", "Warn when insulin has been outside the fridge for 40 days."),
    "fridge": ("Fridge alarm", "Alarm if the fridge temperature is not between 2 and 10 °C."),
    "dose": ("Second signature", "Ask for a second signature for doses above 750 mg."),
    "complaint": ("Complaint form", "Complaints are acknowledged within 5 business days."),
    "children books": ("Kids app", "Children may borrow 8 books."),
    "loan": ("Loan reminder", "The loan period is 21 days."),
    "renew": ("Renew online", "A loan can be renewed five times."),
    "session": ("Auto logout", "End the session after 30 minutes of no activity."),
    "code": ("One-time codes", "One-time codes expire after 10 minutes."),
    "code digits": ("One-time codes", "Send a one-time code with 4 digits."),
    "reset": ("Forgot password", "The reset link stays valid for 24 hours."),
    "gutschein": ("Gutschein anlegen", "Gutscheine sind zwei Jahre gültig."),
    "rabatt": ("Personalkauf", "Der Mitarbeiterrabatt soll 20 % betragen."),
    "rücksendung": ("Retoure", "Kunden können Rücksendungen innerhalb von 14 Tagen kostenlos anmelden."),
    "team": ("Register a team", "A team has 6 players."),
    "ban": ("Leaver ban", "Players who leave twice are banned for 3 days."),
    "hotel": ("Expense form", "Hotel costs are refunded up to 150 EUR per night."),
    "receipts": ("Expense form", "Receipts can be handed in within 60 days after the trip."),
    "late fee": ("Fees", "Late fees are 0.50 EUR per day."),
    "phone line": ("Contact page", "Our phone line is open from 9:00 to 18:00."),
}
KEEPING = {
    "chat": ("Archive chats", "Chat transcripts are kept for 3 months and then deleted."),
    "logs": ("Show logs", "Access logs of the last 14 days are shown."),
    "logs page size": ("Show logs", "Show 50 log entries per page, newest first, refresh every 10 seconds."),
    "backup orders": ("Orders", "Customer orders are kept for ten years. Show the orders of the last 2 years."),
    "express": ("Express badge", "Show the badge 'Express' for 24 hours delivery. The badge fades after 3 seconds."),
    "std": ("Checkout", "Standard delivery costs 4.90 EUR below an order value of 50 EUR."),
    "insulin ok": ("Insulin timer", "Warn when insulin has been outside the fridge for 26 days."),
    "insulin warn 2": ("Insulin timer", "Two days before the 28 days are over, warn the nurse."),
    "fridge inside": ("Fridge alarm", "Warn if the fridge temperature is above 7 °C."),
    "adults": ("Adult card", "Adults may borrow ten books."),
    "late": ("Fees", "Late fees of more than 5 EUR block the card."),
    "search": ("Search books", "Show 20 books per page of results. The search answers within 1 second."),
    "remind": ("Loan reminder", "Remind readers 3 days before the loan period ends."),
    "pwd": ("Passwords", "Passwords have at least 14 characters."),
    "warn session": ("Auto logout", "Warn 2 minutes before the session ends."),
    "reset ok": ("Forgot password", "The reset link is valid for one hour."),
    "code resend": ("One-time codes", "A new code can be requested after 30 seconds."),
    "gutschein": ("Gutschein anlegen", "Gutscheine sind 36 Monate gültig."),
    "gutschein höhe": ("Gutschein anlegen", "Gutscheine gibt es über 10 EUR, 25 EUR und 50 EUR."),
    "match": ("Match timer", "A match lasts 30 minutes. Show a warning 5 minutes before the end."),
    "break": ("Match timer", "Between matches there is a break of 10 minutes."),
    "spectators": ("Spectators", "A match may have 200 spectators."),
    "flight": ("Expense form", "Flights are refunded up to 600 EUR per trip."),
    "breakfast": ("Expense form", "Breakfast is deducted with 5.60 EUR per day."),
    "raise": ("Raise hotel limit", "Raise the hotel limit from 120 EUR to 150 EUR per night."),
    "perf": ("Chat load", "The chat must handle 500 customers at the same time."),
    "reminder": ("Complaint form", "Send a reminder after 10 business days if the complaint is open."),
    "sub": ("Substitutes", "A team may name 2 substitutes."),
    "reserved": ("Reservations", "A reserved book is held for 7 days."),
    "upload receipts": ("Expense form", "Photos of receipts may be 10 MB."),
}


@pytest.mark.parametrize("name", CONTRADICTING)
def test_catches_among_the_pages_of_a_handbook(name):
    subject = case(ticket(*CONTRADICTING[name]), *HANDBOOK)
    checked = check(subject)
    assert len(checked.findings) == 1
    assert_cited(subject, checked, HANDBOOK)


@pytest.mark.parametrize("name", KEEPING)
def test_leaves_alone_among_the_pages_of_a_handbook(name):
    checked = check(case(ticket(*KEEPING[name]), *HANDBOOK))
    assert not checked.findings
    assert not checked.unknowns


TRADES = [
    page(
        "Energy tariffs",
        """A contract can be cancelled with four weeks' notice. The price guarantee lasts 12 months. Meter
readings are accepted until the 5th working day of the month.

## Instalments
We offer instalment plans of up to 6 months. The minimum instalment is 20 EUR.""",
    ),
    page(
        "Gym house rules",
        """Members may bring one guest per month. Courses can be cancelled up to 2 hours before they start. A
locker must be emptied within 24 hours. Under-16s train only with an adult.""",
    ),
    page(
        "Car sharing terms",
        """A reservation is held for 15 minutes free of charge. Cars must be returned with at least 25 % fuel.
The deposit is 200 EUR. Drivers must have held a licence for at least 2 years.""",
    ),
    page(
        "Bank transfer limits",
        """| Channel | Daily limit |
|---|---|
| App | 2,000 EUR |
| Branch | 10,000 EUR |

A TAN is valid for 3 minutes. After three wrong TANs the access is blocked.""",
    ),
    page(
        "Vaccination campaign",
        """The second dose is given 3 to 6 weeks after the first one. Vaccinated people wait 15 minutes in the
hall. Children under 12 get half the dose.""",
    ),
    page(
        "Newsroom guide",
        """Headlines have at most 60 characters. Corrections are published within 24 hours. A comment section
closes after 7 days.""",
    ),
    page(
        "API fair use",
        """Each key may send 100 requests per minute. Results are cached for 10 minutes. Uploads are limited to
5 MB.""",
    ),
    page(
        "Urlaub und Abwesenheit",
        """Mitarbeiter haben 30 Tage Urlaub im Jahr. Eine Krankmeldung muss ab dem dritten Tag vorliegen.
Resturlaub verfällt nach 15 Monaten. Überstunden werden bis zu 40 Stunden ausgezahlt.""",
    ),
    page("Meeting minutes 12 May", """Sam proposed that the deposit be 400 EUR. We talked about 30 minutes."""),
    page("Car sharing terms 2021", """This page is superseded by the new terms. The deposit is 300 EUR."""),
    page(
        "Wedding venue terms",
        """A date is reserved once 30 % of the price is paid. Guests may stay until 2:00. Music is limited to
95 dB. Up to 120 guests fit in the barn. Free cancellation ends 90 days before the wedding.""",
    ),
    page(
        "Clinical trials handbook",
        """Participants must be between 18 and 65 years old. Adverse events must be reported within 24 hours.
Consent forms are kept for 25 years. Each visit lasts about 45 minutes.""",
    ),
    page(
        "Tyre shop manual",
        """Tyres are stored for one season. Wheels are retightened after 50 km. Tyres with less than 3 mm tread
are not mounted. A change takes 40 minutes.""",
    ),
    page(
        "Podcast platform rules",
        """Episodes may last up to 180 minutes. Cover images must be at least 1400 pixels wide. Free accounts
keep statistics for 60 days, paid accounts for two years. Uploads over 300 MB are refused.""",
    ),
    page(
        "Kita-Ordnung",
        """Die Eingewöhnung dauert vier Wochen. Kinder müssen bis 9:30 Uhr gebracht werden. Kranke Kinder
bleiben 48 Stunden nach dem letzten Fieber zu Hause. Das Essensgeld beträgt 3,50 EUR pro Tag.""",
    ),
    page(
        "Warehouse safety",
        """Shelves carry at most 800 kg per level. Forklifts drive no faster than 10 km an hour. Breaks are due
after 6 hours of work. Fire drills happen twice a year.""",
    ),
]
TRADES_CONTRADICTED = (
    ("Cancel contract online", "Customers can cancel their contract with a notice of two weeks."),
    ("Tariff page", "The page says that the price guarantee lasts 24 months."),
    ("Instalment plan", "Customers choose an instalment plan of up to 12 months."),
    ("Instalment plan", "The minimum instalment is 10 EUR."),
    ("Guest pass", "Members may bring three guests per month."),
    ("Cancel a course", "Courses can be cancelled up to 30 minutes before they start."),
    ("Hold car", "The reservation is held for 30 minutes free of charge."),
    ("Return check", "Accept the return if the car has at least 10 percent fuel."),
    ("Sign-up", "We charge a deposit of 300 EUR."),
    ("Sign-up", "Drivers need a licence that they have held for at least 1 year."),
    ("Transfers", "The daily limit in the app is 5,000 EUR."),
    ("TAN", "The TAN is valid for 5 minutes."),
    ("TAN", "Block the access after five wrong TANs."),
    ("Editor", "Headlines have at most 80 characters."),
    ("Corrections", "Corrections are published within 48 hours."),
    ("Comments", "The comment section closes after 14 days."),
    ("Limits", "Each key may send 300 requests per minute."),
    ("Cache", "Results are cached for one hour."),
    ("Urlaubsantrag", "Mitarbeiter haben 28 Tage Urlaub im Jahr."),
    ("Urlaubskonto", "Der Resturlaub verfällt nach 12 Monaten."),
    ("Überstunden", "Überstunden werden bis zu 60 Stunden ausgezahlt."),
    ("Reserve a date", "The date counts as reserved once 20 % of the price is paid."),
    ("Cancel wedding", "Couples cancel for free until 60 days before the wedding."),
    ("Screening form", "Participants must be between 16 and 65 years old."),
    ("Report form", "Adverse events can be reported within 3 days."),
    ("Archive", "Consent forms are kept for 10 years."),
    ("Tread check", "Do not mount tyres with less than 2 mm tread."),
    ("Reminder", "Remind customers to have their wheels retightened after 100 km."),
    ("Cover", "Accept cover images from 1000 pixels on, at least 1000 pixels wide."),
    ("Statistics", "Free accounts see statistics for 30 days."),
    ("Upload", "Uploads over 500 MB are refused."),
    ("Kalender", "Die Eingewöhnung dauert zwei Wochen."),
    ("Abrechnung", "Das Essensgeld beträgt 4,20 EUR pro Tag."),
    ("Krankmeldung", "Kinder bleiben 24 Stunden nach dem letzten Fieber zu Hause."),
    ("Shelf app", "Shelves carry up to 1000 kg per level."),
    ("Roster", "Plan breaks after 8 hours of work."),
)
TRADES_KEPT = (
    ("Cancel contract online", "Customers can cancel their contract with a notice of 28 days."),
    ("Cancel contract online", "The confirmation of the cancelled contract is mailed within 10 minutes."),
    ("Tariff page", "The price guarantee lasts one year."),
    ("Compare tariffs", "Show up to 4 tariffs side by side, with the price of the last 6 months."),
    ("Instalment plan", "Customers choose an instalment plan of 3 months."),
    ("Guest pass", "A guest pass costs 12 EUR."),
    ("Course reminder", "Remind members 1 day before their course."),
    ("Course list", "List 10 courses per page."),
    ("Locker", "Lockers can be rented for 6 months."),
    ("Hold car", "A reservation may be extended once by 10 minutes."),
    ("Fuel bonus", "Drivers who fill up from below 30 % fuel get a bonus of 5 EUR."),
    ("Deposit refund", "The deposit is paid back within 14 days."),
    ("Sign-up", "We charge a deposit of 200 EUR, as before."),
    ("TAN", "Send the TAN within 10 seconds."),
    ("TAN", "A TAN has 6 digits."),
    ("Branch transfers", "In the branch the daily limit is 10.000 EUR and the fee 2 EUR."),
    ("Waiting hall", "The hall has 120 seats."),
    ("Book second dose", "Offer the second dose 4 weeks after the first one."),
    ("Editor", "Warn at 55 characters in headlines."),
    ("Editor", "Articles have at least 300 words."),
    ("Docs", "Each request is answered within 2 seconds."),
    ("Raise upload limit", "Increase uploads from 5 MB to 20 MB."),
    ("Urlaubsantrag", "Der Antrag wird innerhalb von 3 Tagen genehmigt."),
    ("Krankmeldung", "Die Krankmeldung darf 10 MB groß sein."),
    ("List cars", "The list of cars loads in less than 2 seconds with 500 cars."),
    ("Wrong limit", "In the app I can only transfer 1,000 EUR per day."),
    ("Reserve a date", "Show the reserved dates of the next 12 months."),
    ("Invoice", "Send the invoice 14 days after the wedding."),
    ("Gallery", "Guests can upload 200 photos."),
    ("Guest list", "Small barn parties have 40 guests."),
    ("Screening form", "Ask twice if a participant is between 18 and 21 years old."),
    ("Visit planner", "Remind participants 2 days before their visit."),
    ("Report form", "The report form of adverse events has 12 questions."),
    ("Consent", "Consent forms are signed within 7 days."),
    ("Booking", "A tyre change is booked in slots of 40 minutes, at most 8 weeks ahead."),
    ("Prices", "Storage of tyres costs 45 EUR."),
    ("Player", "Skip forward by 30 seconds in episodes."),
    ("Cover", "Cover images are at least 3000 pixels wide."),
    ("Statistics", "Paid accounts see statistics for 24 months."),
    ("Player", "Play at double speed, remember it for 1 hour."),
    ("Bringzeit", "Eltern bekommen eine Nachricht 15 Minuten vor dem Bringen."),
    ("Abrechnung", "Das Essensgeld wird am 3. Tag des Monats abgebucht."),
    ("Drill", "The fire drill list has 25 names."),
    ("Shelf app", "Warn when a shelf carries 700 kg per level."),
    ("Forklift", "Forklifts are charged after 10 hours."),
)


@pytest.mark.parametrize("texts", TRADES_CONTRADICTED)
def test_catches_among_the_pages_of_many_trades(texts):
    assert len(check(case(ticket(*texts), *TRADES)).findings) == 1


@pytest.mark.parametrize("texts", TRADES_KEPT)
def test_leaves_alone_among_the_pages_of_many_trades(texts):
    assert not check(case(ticket(*texts), *TRADES)).findings


@pytest.mark.parametrize("name", CATCHES)
def test_catches(name):
    subject, rules = CATCHES[name]
    checked = check(case(subject, rules))
    assert len(checked.findings) == 1
    assert_cited(case(subject), checked, [rules])
    assert any(cited.locator == rules.locator for cited in checked.findings[0].evidence)


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_leaves_alone(name):
    subject, rules = LOOK_ALIKES[name]
    assert not check(case(subject, rules)).findings


def test_other_pages_around_change_nothing():
    others = [LOCK, RETURNS, UPLOAD, SCHOOL, CLINIC, GAME, INSURE, SHIP, PASSWORD, DISCOUNT, FRIST, SUPPORT]
    for name, (subject, rules) in CATCHES.items():
        if rules not in others:
            continue
        checked = check(case(subject, *others))
        assert len(checked.findings) == 1, name
        assert any(cited.locator == rules.locator for cited in checked.findings[0].evidence), name
    current = {name: pair for name, pair in LOOK_ALIKES.items() if pair[1] in others and name != "nothing found"}
    for name, (subject, _) in current.items():
        assert not check(case(subject, *others)).findings, name


def test_pages_that_disagree_are_an_unknown_when_the_ticket_follows_one():
    other = page("Login handbook", "After three failed login attempts the account is locked.")
    checked = check(case(ticket("Lock", "Lock the account after 3 failed login attempts."), LOCK, other))
    assert not checked.findings
    assert "Login handbook" in checked.unknowns[0].what


def test_a_value_that_the_ticket_repeats_is_told_once():
    subject = ticket(
        "Lock the account after 3 failed login attempts",
        "When there are 3 failed login attempts, lock the account.\n\n- Locked account after 3 failed login attempts",
    )
    (finding,) = check(case(subject, LOCK)).findings
    assert len(finding.evidence) >= 3
