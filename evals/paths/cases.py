"""What is asked on each path: the same in every run, so that runs can be compared case by case."""

QUESTIONS = (
    "After how many failed sign-ins is an account locked?",
    "How long does an unpaid booking keep its seats?",
    "Within how many days can a ticket be refunded?",
    "How long are vehicle papers kept?",
    "Which files may be uploaded, and how large?",
    "Who may cancel a booking for a group?",
    "What happens at the gate without a network?",
    "How many text messages does a passenger get?",
    "When does boarding close?",
    "How is the code on a boarding pass signed?",
)
NAMES = (
    "BKG-142",
    "HOLD_MINUTES",
    "src/booking/holds.py",
    "GATE-49",
    "REFUND_DAYS",
    "BKG-150",
    "src/booking/accounts.py",
    "MAX_FAILED_SIGN_INS",
    "DESK-219",
    "GATE-60",
)
"""Tickets, files and what code defines, each alone, so that it is looked up."""
TICKETS = (
    "BKG-142",
    "BKG-148",
    "GATE-59",
    "BKG-150",
    "BKG-156",
    "GATE-52",
    "BKG-153",
    "GATE-60",
    "BKG-163",
    "BKG-160",
)
"""That are reviewed and drafted from."""
COMMENTED = (
    "BKG-170",
    "GATE-54",
    "BKG-134",
    "GATE-61",
    "BKG-145",
    "GATE-67",
    "BKG-147",
    "GATE-57",
    "BKG-174",
    "GATE-62",
)
"""That are commented on. Others than are reviewed, since what was told before is read in the next review."""
PLANS = (
    (
        "sign-ins",
        "booking-api",
        "In src/booking/accounts.py set MAX_FAILED_SIGN_INS to 8, and e-mail the passenger when the lock begins.",
    ),
    ("holds", "booking-api", "Raise HOLD_MINUTES in src/booking/holds.py from 10 to 45 for groups of ten and more."),
    ("refunds", "booking-api", "pay_by() in src/booking/refunds.py returns the cancellation's day plus 30 days."),
    ("uploads", "booking-api", "Accept files up to 25 MB as vehicle papers, and TIFF beside PDF and JPEG."),
    ("signature", "gate-app", "Check the signature of a boarding pass before the seat is looked up."),
    ("messages", "booking-api", "Send a text message at the booking, a day before and at boarding."),
    ("boarding", "gate-app", "Close boarding five minutes before the departure instead of ten."),
    ("offline", "gate-app", "Without a network let everybody board whose pass can be read, and count them later."),
    ("cancelling", "booking-api", "Let any member of a group cancel the whole booking, in src/booking/cancel.py."),
    ("tokens", "booking-api", "The link that resets a password is valid for a day instead of an hour."),
)
"""A name, the repository that it is for, and the plan."""
MOST = 10
"""Of each."""
