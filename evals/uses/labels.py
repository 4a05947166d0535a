"""Which lines of the corpus use a name, which define it, and which only look like it."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.usage.types import Kind

Lines = dict[str, tuple[str, ...]]
"""By `repository/path`, lines by a part that stands in no other line of the file, or in the n-th of them: `text@n`."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A name, and every line of the corpus that has to do with it."""

    name: str
    kind: Kind
    uses: Lines
    defines: Lines
    either: Lines
    """Lines that define a name and use another, or mirror it: told as either, they are told right."""
    unlike: Lines
    """Lines that look like a use and are none."""


def places(lines: Lines) -> Iterator[tuple[str, str, int]]:
    """File, part of a line, and which of the lines that have it, from 1."""
    for file, texts in lines.items():
        for text in texts:
            part, at, number = text.rpartition("@")
            yield (file, part, int(number)) if at and number.isdigit() else (file, text, 1)


LABELS = (
    Labelled(
        "Booking.hold",
        "symbol",
        uses={
            "booking-api/app/models.py": ("return self.hold(minutes + 5)",),
            "booking-api/app/routes.py": ("booking.hold(settings.hold_minutes)",),
            "booking-api/app/desk.py": ("made.hold(30)",),
            "booking-api/tests/test_holds.py": ("booking.hold(5)",),
            "booking-api/docs/holds.md": ("`Booking.hold`",),
        },
        defines={"booking-api/app/models.py": ("def hold(self, minutes)",)},
        either={},
        unlike={
            "booking-api/app/models.py": ("# hold()", "def hold(self, luggage)", "self.hold(luggage)"),
            "booking-api/app/routes.py": ('locker.hold("bag")', "def hold_booking", "def hold_locker"),
            "booking-api/app/desk.py": ("hold it again", "box.hold(form.bag)", "phone.hold()", "phone.hold_music()"),
            "gate-app/src/client.ts": ("export const hold =",),
            "billing/src/main/java/billing/BookingClient.java": ("public void hold(long id)",),
            "billing/src/main/java/billing/InvoiceService.java": ("bookings.hold(id)",),
        },
    ),
    Labelled(
        "holdSeats",
        "symbol",
        uses={
            "gate-app/src/screen.ts": ("await holdSeats(",),
            "gate-app/src/press.test.ts": ("await holdSeats(",),
        },
        defines={"gate-app/src/api.ts": ("function holdSeats(",)},
        either={},
        unlike={"gate-app/src/screen.ts": ("holdSeatsLater();", "function holdSeatsLater", "holdSeats is done by now")},
    ),
    Labelled(
        "InvoiceService#settleInvoice",
        "symbol",
        uses={
            "billing/src/main/java/billing/InvoiceController.java": ("service.settleInvoice(id)",),
            "billing/src/main/java/billing/InvoiceService.java": ("settleInvoice(id);",),
            "billing/src/test/java/billing/InvoiceTest.java": ("service.settleInvoice(4)",),
        },
        defines={"billing/src/main/java/billing/InvoiceService.java": ("public Invoice settleInvoice",)},
        either={},
        unlike={
            "billing/src/main/java/billing/InvoiceService.java": ("// settleInvoice is slow", "settleInvoices(id)")
        },
    ),
    Labelled(
        "HoldBooking",
        "symbol",
        uses={"dispatch/consumer.go": ('HoldBooking("http://booking", 4)',)},
        defines={"dispatch/hold.go": ("func HoldBooking(",)},
        either={},
        unlike={
            "dispatch/consumer.go": ("HoldBookings()", "func HoldBookings", "HoldBooking was called"),
            "dispatch/hold.go": ("// HoldBooking calls",),
            "booking-api/app/routes.py": ("def hold_booking",),
        },
    ),
    Labelled(
        "POST /v1/bookings/{id}/hold",
        "route",
        uses={
            "gate-app/src/api.ts": ("axios.post(`${API}/v1/bookings/${id}/hold`", "return fetch(API"),
            "gate-app/src/client.ts": ("export const hold =",),
            "billing/src/main/java/billing/BookingClient.java": ("String HOLD_PATH", "postForObject(HOLD_PATH"),
            "dispatch/hold.go": ('"%s/v1/bookings/%d/hold"',),
            "deploy/gateway/routes.yaml": ("/v1/bookings/{id}/hold@1",),
            "deploy/scripts/smoke.sh": ('"https://booking.example/v1/bookings/1/hold"',),
            "booking-api/tests/test_holds.py": ('client.post("/v1/bookings/7/hold")',),
            "booking-api/docs/holds.md": ("Call `POST",),
        },
        defines={"booking-api/app/routes.py": ('@router.post("/v1/bookings/{booking_id}/hold")',)},
        either={},
        unlike={
            "booking-api/app/routes.py": (
                '@router.get("/v1/bookings/{booking_id}/hold")',
                '@router.post("/v1/bookings/{booking_id}/hold/extend")',
                '@router.post("/v1/lockers/{locker_id}/hold")',
                '@router.get("/v1/bookings/{booking_id}")',
            ),
            "gate-app/src/api.ts": ("// POST", "/hold/extend", "encodeURIComponent", "/v1/lockers", "bookings/${id}`;"),
            "gate-app/src/client.ts": ("export const cancel", "export const holdSeason"),
            "billing/src/main/java/billing/BookingClient.java": (
                "/** Calls POST",
                "String CANCEL_PATH",
                "postForObject(CANCEL_PATH",
            ),
            "dispatch/hold.go": ("// HoldBooking calls", "%d/cancel"),
            "deploy/gateway/routes.yaml": ("/hold/extend", "/v1/lockers"),
            "deploy/scripts/smoke.sh": ("# curl", "/cancel"),
            "booking-api/tests/test_holds.py": ("/v1/lockers/7/hold",),
            "booking-api/docs/holds.md": ("To extend it",),
        },
    ),
    Labelled(
        "/api/invoices/:id",
        "route",
        uses={
            "billing/src/test/java/billing/InvoiceTest.java": ("/api/invoices/4",),
            "deploy/gateway/routes.yaml": ("/api/invoices/{invoice}",),
            "deploy/scripts/smoke.sh": ("/api/invoices/12",),
        },
        defines={"billing/src/main/java/billing/InvoiceController.java": ('@GetMapping("/{id}")',)},
        either={},
        unlike={
            "billing/src/main/java/billing/InvoiceController.java": ("@RequestMapping", "/{id}/settle", "/{id}/lines"),
            "deploy/scripts/smoke.sh": ("/api/invoices/search",),
        },
    ),
    Labelled(
        "booking.held",
        "event",
        uses={
            "gate-app/src/listener.ts": ("bus.on('booking.held',", "bus.on('booking.*'", "function onBookingHeld("),
            "billing/src/main/java/billing/HeldListener.java": ('topics = "booking.held",',),
            "dispatch/consumer.go": ('Subscribe("booking.held")',),
            "deploy/topics.yaml": ("- name: booking.held@1",),
            "booking-api/docs/holds.md": ("The event",),
        },
        defines={
            "booking-api/app/events.py": ("TOPIC_HELD =", "class BookingHeld", "publish(TOPIC_HELD"),
            "gate-app/src/types.ts": ("interface BookingHeld {",),
        },
        either={},
        unlike={
            "booking-api/app/events.py": ("# goes out after", '"booking.held.expired"', '"locker.booking.held"'),
            "gate-app/src/listener.ts": ("booking.held.expired", "function onBookingHeldBack", "'booking held'"),
            "gate-app/src/types.ts": ("interface BookingHeldBack",),
            "billing/src/main/java/billing/HeldListener.java": ("booking.held-dlq", "not a booking.held message"),
            "dispatch/consumer.go": ("booking.held.expired", "bookings.held"),
            "deploy/topics.yaml": ("booking.held.expired",),
        },
    ),
    Labelled(
        "crew-rosters",
        "event",
        uses={
            "dispatch/consumer.go": ('Subscribe("crew-rosters")',),
            "deploy/topics.yaml": ("- name: crew-rosters",),
        },
        defines={"dispatch/roster.go": ("const rosterTopic", "Publish(rosterTopic")},
        either={},
        unlike={"dispatch/roster.go": ("crew-rosters-archive",)},
    ),
    Labelled(
        "HOLD_MINUTES",
        "config",
        uses={
            "booking-api/app/routes.py": ("settings.hold_minutes",),
            "dispatch/hold.go": ('Getenv("HOLD_MINUTES")',),
            "deploy/k8s/booking-api.yaml": ("- name: HOLD_MINUTES",),
            "deploy/scripts/smoke.sh": ("./start --hold-minutes",),
            "deploy/Jenkinsfile": ("HOLD_MINUTES = '5'",),
            "booking-api/docs/holds.md": ("How long it lasts",),
        },
        defines={"booking-api/.env.example": ("HOLD_MINUTES=15",)},
        either={
            "booking-api/app/settings.py": ("hold_minutes = int@1",),
            "gate-app/src/config.ts": ("export const holdMinutes",),
        },
        unlike={
            "booking-api/app/settings.py": ("max_hold_minutes", "threshold_minutes", "# HOLD_MINUTES"),
            "booking-api/.env.example": ("MAX_HOLD_MINUTES",),
            "gate-app/src/config.ts": ("maxHoldMinutes",),
            "deploy/k8s/booking-api.yaml": ("# HOLD_MINUTES", "MAX_HOLD_MINUTES"),
            "deploy/Jenkinsfile": ("THRESHOLD_MINUTES",),
        },
    ),
    Labelled(
        "invoice.due.days",
        "config",
        uses={
            "billing/src/main/java/billing/Limits.java": ("${invoice.due.days}",),
            "dispatch/hold.go": ("INVOICE_DUE_DAYS",),
            "deploy/k8s/booking-api.yaml": ("INVOICE_DUE_DAYS",),
        },
        defines={"billing/src/main/resources/application.yaml": ("days: 30",)},
        either={},
        unlike={
            "billing/src/main/java/billing/Limits.java": ("invoice.due.days.max", "credit.invoice.days"),
            "billing/src/main/resources/application.yaml": ("days: 12",),
        },
    ),
    Labelled(
        "bookings.held_until",
        "column",
        uses={
            "booking-api/app/models.py": ("self.held_until = later",),
            "booking-api/app/routes.py": ("Booking.get(booking_id).held_until",),
            "booking-api/app/jobs.py": (
                "SELECT id FROM bookings WHERE held_until",
                "UPDATE bookings SET held_until",
                "SELECT b.id, b.held_until",
                "Booking.held_until < now",
            ),
            "booking-api/app/desk.py": ("made.held_until is None",),
            "booking-api/db/002_late.sql": ("ON bookings (held_until)", "SELECT b.id, b.seats", "WHERE b.held_until"),
            "booking-api/tests/test_holds.py": ("assert booking.held_until",),
            "gate-app/src/screen.ts": ("booking.heldUntil ?",),
            "dispatch/queries.go": ("WHERE held_until < $1`@1", "SELECT bookings.held_until"),
        },
        defines={
            "booking-api/db/001_bookings.sql": ("held_until TIMESTAMP@1",),
            "booking-api/app/models.py": ("held_until = Column(DateTime)@1",),
        },
        either={"gate-app/src/types.ts": ("heldUntil: string | null",)},
        unlike={
            "booking-api/app/models.py": ("held_until = Column(DateTime)@2",),
            "booking-api/app/jobs.py": ("UPDATE lockers SET held_until", "Locker.held_until < now"),
            "booking-api/app/desk.py": ("box.held_until",),
            "booking-api/db/001_bookings.sql": ("held_until TIMESTAMP@2",),
            "booking-api/db/002_late.sql": ("-- bookings.held_until", "ON lockers (held_until)", "UPDATE lockers"),
            "gate-app/src/types.ts": ("heldUntil: string;",),
            "gate-app/src/screen.ts": ("parcel.heldUntil",),
            "dispatch/queries.go": ("WHERE held_until < $1`@2",),
        },
    ),
    Labelled(
        "lockers",
        "table",
        uses={
            "booking-api/app/jobs.py": ("UPDATE lockers", "JOIN lockers l", "Locker.query.filter"),
            "booking-api/app/routes.py": ("Locker.get(locker_id)",),
            "booking-api/app/desk.py": ("Locker.create(form)",),
            "booking-api/db/002_late.sql": ("ON lockers (held_until)", "UPDATE lockers"),
            "dispatch/queries.go": ("FROM lockers",),
        },
        defines={
            "booking-api/db/001_bookings.sql": ("CREATE TABLE lockers",),
            "booking-api/app/models.py": ('__tablename__ = "lockers"', "class Locker(Base)"),
        },
        either={},
        unlike={
            "booking-api/app/routes.py": ("/v1/lockers/",),
            "booking-api/app/events.py": ("locker.booking.held",),
            "booking-api/docs/holds.md": ("lockers have a",),
            "booking-api/tests/test_holds.py": ("/v1/lockers/7/hold",),
            "gate-app/src/api.ts": ("/v1/lockers/",),
            "deploy/gateway/routes.yaml": ("/v1/lockers/",),
        },
    ),
)
