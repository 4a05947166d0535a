"""The repositories. A line that uses a name is labelled by `evals.uses.labels`; nothing here is run."""

BOOKING_API = {
    "app/models.py": '''\
"""Tables of bookings and holds. Booking.hold is described in the handbook."""

from sqlalchemy import Column, DateTime, Integer, String

from app.base import Base


class Booking(Base):
    __tablename__ = "bookings"

    id = Column(Integer, primary_key=True)
    seats = Column(Integer)
    held_until = Column(DateTime)

    def hold(self, minutes):
        # hold() must be called before the payment
        self.held_until = later(minutes)
        return self

    def extend(self, minutes):
        return self.hold(minutes + 5)


class Locker(Base):
    __tablename__ = "lockers"

    id = Column(Integer, primary_key=True)
    held_until = Column(DateTime)

    def hold(self, luggage):
        self.luggage = luggage

    def swap(self, luggage):
        self.hold(luggage)
''',
    "app/routes.py": '''\
"""HTTP of the booking service."""

from fastapi import APIRouter

from app.models import Booking, Locker
from app.settings import settings

router = APIRouter()


@router.post("/v1/bookings/{booking_id}/hold")
def hold_booking(booking_id: int):
    booking = Booking.get(booking_id)
    booking.hold(settings.hold_minutes)
    return booking


@router.get("/v1/bookings/{booking_id}/hold")
def read_hold(booking_id: int):
    return Booking.get(booking_id).held_until


@router.post("/v1/bookings/{booking_id}/hold/extend")
def extend_hold(booking_id: int):
    booking = Booking.get(booking_id)
    return booking.extend(5)


@router.post("/v1/lockers/{locker_id}/hold")
def hold_locker(locker_id: int):
    locker = Locker.get(locker_id)
    locker.hold("bag")
    return locker


@router.get("/v1/bookings/{booking_id}")
def read_booking(booking_id: int):
    return Booking.get(booking_id)
''',
    "app/settings.py": '''\
"""Settings, read from the environment."""

import os


class Settings:
    hold_minutes = int(os.environ.get("HOLD_MINUTES", "15"))
    max_hold_minutes = int(os.environ.get("MAX_HOLD_MINUTES", "60"))
    threshold_minutes = int(os.environ.get("THRESHOLD_MINUTES", "3"))
    # HOLD_MINUTES was ten before the summer


settings = Settings()
''',
    "app/events.py": '''\
"""What the booking service tells the others."""

from app.bus import bus

TOPIC_HELD = "booking.held"


class BookingHeld:
    def __init__(self, booking_id, seats):
        self.booking_id = booking_id
        self.seats = seats


def tell_held(booking):
    bus.publish(TOPIC_HELD, BookingHeld(booking.id, booking.seats))


def tell_released(booking):
    # goes out after booking.held
    bus.publish("booking.held.expired", {"id": booking.id})


def tell_locker(locker):
    bus.publish("locker.booking.held", {"id": locker.id})
''',
    "app/jobs.py": '''\
"""Nightly work."""

from app.db import connection
from app.models import Booking, Locker


def release_late(now):
    rows = connection.execute("SELECT id FROM bookings WHERE held_until < %s", now)
    for row in rows:
        connection.execute("UPDATE bookings SET held_until = NULL WHERE id = %s", row.id)


def empty_lockers(now):
    connection.execute("UPDATE lockers SET held_until = NULL WHERE held_until < %s", now)


def report():
    return connection.execute(
        """
        SELECT b.id, b.held_until, l.held_until
        FROM bookings b
        JOIN lockers l ON l.booking_id = b.id
        """
    )


def late(now):
    return Booking.query.filter(Booking.held_until < now).all()


def late_lockers(now):
    return Locker.query.filter(Locker.held_until < now).all()
''',
    "app/desk.py": '''\
"""The desk at the pier."""

from app.models import Booking as Reservation
from app.models import Booking, Locker


def walk_in(form):
    made: Booking = Booking.create(form)
    made.hold(30)
    if made.held_until is None:
        raise RuntimeError("Booking was not held, hold it again")
    return made


def store_bag(form):
    box = Locker.create(form)
    box.hold(form.bag)
    return box.held_until


def on_the_phone(phone):
    phone.hold()
    phone.hold_music()
''',
    "db/001_bookings.sql": """\
CREATE TABLE bookings (
    id INTEGER PRIMARY KEY,
    seats INTEGER NOT NULL,
    held_until TIMESTAMP
);

CREATE TABLE lockers (
    id INTEGER PRIMARY KEY,
    booking_id INTEGER REFERENCES bookings (id),
    held_until TIMESTAMP
);
""",
    "db/002_late.sql": """\
-- bookings.held_until is looked up by the nightly job
CREATE INDEX bookings_held ON bookings (held_until);

CREATE INDEX lockers_held ON lockers (held_until);

CREATE VIEW late_bookings AS
SELECT b.id, b.seats, b.held_until
FROM bookings b
WHERE b.held_until < now();

UPDATE lockers SET held_until = NULL;
""",
    ".env.example": """\
# how long seats stay on hold
HOLD_MINUTES=15
MAX_HOLD_MINUTES=60
LOG_LEVEL=info
""",
    "docs/holds.md": """\
# Holds

A booking is held by `Booking.hold`; lockers have a `Locker.hold` of their own.

Call `POST /v1/bookings/{id}/hold`. How long it lasts is set by `HOLD_MINUTES`.
To extend it, call `POST /v1/bookings/{id}/hold/extend`.

The event `booking.held` goes out afterwards.
""",
    "tests/test_holds.py": """\
from app.models import Booking


def test_hold(client):
    booking = Booking.create({})
    booking.hold(5)
    assert booking.held_until is not None


def test_route(client):
    answer = client.post("/v1/bookings/7/hold")
    assert answer.status_code == 200
    assert client.post("/v1/lockers/7/hold").status_code == 200
""",
}

GATE_APP = {
    "src/api.ts": """\
import axios from 'axios';
import { API } from './config';

// POST /v1/bookings/{id}/hold answers with the booking
export async function holdSeats(id: string) {
  return axios.post(`${API}/v1/bookings/${id}/hold`, {});
}

export async function extendSeats(id: string) {
  return axios.post(`${API}/v1/bookings/${id}/hold/extend`, {});
}

export async function readHold(id: string) {
  return axios.get(`${API}/v1/bookings/${encodeURIComponent(id)}/hold`);
}

export async function holdByFetch(id: string) {
  return fetch(API + '/v1/bookings/' + id + '/hold', {
    method: 'POST',
  });
}

export function lockerUrl(id: string) {
  return `${API}/v1/lockers/${id}/hold`;
}

export function bookingUrl(id: string) {
  return `${API}/v1/bookings/${id}`;
}
""",
    "src/client.ts": """\
import axios from 'axios';

const api = axios.create({ baseURL: 'https://booking.example/v1' });

export const hold = (id: number) => api.post(`/bookings/${id}/hold`);
export const cancel = (id: number) => api.post(`/bookings/${id}/cancel`);
export const holdSeason = (id: number) => api.post(`/season/bookings/${id}/holder`);
""",
    "src/listener.ts": """\
import { bus } from './bus';
import { BookingHeld, BookingHeldBack } from './types';

bus.on('booking.held', (event: BookingHeld) => show(event.seats));
bus.on('booking.held.expired', () => hide());
bus.on('booking.*', (event) => log(event));

export function onBookingHeld(event: BookingHeld) {
  console.log('booking held', event.seats);
}

export function onBookingHeldBack(event: BookingHeldBack) {
  console.log(event);
}
""",
    "src/types.ts": """\
export interface BookingHeld {
  bookingId: number;
  seats: number;
}

export interface BookingHeldBack {
  reason: string;
}

export interface Booking {
  id: number;
  heldUntil: string | null;
}

export interface Parcel {
  heldUntil: string;
}
""",
    "src/screen.ts": """\
import { holdSeats } from './api';
import { Booking, Parcel } from './types';

export function banner(booking: Booking): string {
  return booking.heldUntil ? `Held until ${booking.heldUntil}` : '';
}

export function parcelLine(parcel: Parcel): string {
  return parcel.heldUntil;
}

export async function press(booking: Booking) {
  await holdSeats(String(booking.id));
  holdSeatsLater();
}

function holdSeatsLater() {
  setTimeout(() => console.log('holdSeats is done by now'), 5);
}
""",
    "src/config.ts": """\
export const API = process.env.API_URL ?? '';
export const holdMinutes = Number(process.env.HOLD_MINUTES ?? 15);
export const maxHoldMinutes = Number(process.env.MAX_HOLD_MINUTES ?? 60);
""",
    "src/press.test.ts": """\
import { holdSeats } from './api';

test('holds', async () => {
  await holdSeats('b-17');
});
""",
}

BILLING = {
    "src/main/java/billing/BookingClient.java": """\
package billing;

import org.springframework.web.client.RestTemplate;

/** Calls POST /v1/bookings/{id}/hold. */
public class BookingClient {
    private static final String HOLD_PATH = "/v1/bookings/{id}/hold";
    private static final String CANCEL_PATH = "/v1/bookings/{id}/cancel";
    private final RestTemplate rest = new RestTemplate();

    public void hold(long id) {
        rest.postForObject(HOLD_PATH, null, Void.class, id);
    }

    public void cancel(long id) {
        rest.postForObject(CANCEL_PATH, null, Void.class, id);
    }
}
""",
    "src/main/java/billing/InvoiceController.java": """\
package billing;

import org.springframework.web.bind.annotation.*;

@RestController
@RequestMapping("/api/invoices")
public class InvoiceController {
    private final InvoiceService service;

    @GetMapping("/{id}")
    public Invoice read(@PathVariable long id) {
        return service.find(id);
    }

    @PostMapping("/{id}/settle")
    public Invoice settle(@PathVariable long id) {
        return service.settleInvoice(id);
    }

    @GetMapping("/{id}/lines")
    public Lines lines(@PathVariable long id) {
        return service.lines(id);
    }
}
""",
    "src/main/java/billing/InvoiceService.java": """\
package billing;

public class InvoiceService {
    private final BookingClient bookings;

    public Invoice settleInvoice(long id) {
        bookings.hold(id);
        return settle(id);
    }

    // settleInvoice is slow at the end of the month
    private Invoice settle(long id) {
        return find(id);
    }

    public void nightly(long id) {
        settleInvoice(id);
        settleInvoices(id);
    }
}
""",
    "src/main/java/billing/HeldListener.java": """\
package billing;

import org.springframework.kafka.annotation.KafkaListener;

public class HeldListener {
    @KafkaListener(topics = "booking.held", groupId = "billing")
    public void onMessage(String message) {
        System.out.println(message);
    }

    @KafkaListener(topics = "booking.held-dlq", groupId = "billing")
    public void onDead(String message) {
        System.out.println("not a booking.held message");
    }
}
""",
    "src/main/java/billing/Limits.java": """\
package billing;

import org.springframework.beans.factory.annotation.Value;

public class Limits {
    @Value("${invoice.due.days}")
    private int dueDays;

    @Value("${invoice.due.days.max:90}")
    private int most;

    @Value("${credit.invoice.days}")
    private int creditDays;
}
""",
    "src/main/resources/application.yaml": """\
invoice:
  due:
    days: 30
  total:
    days: 12
server:
  port: 8080
""",
    "src/test/java/billing/InvoiceTest.java": """\
package billing;

class InvoiceTest {
    void settles() {
        service.settleInvoice(4);
        mvc.perform(get("/api/invoices/4"));
    }
}
""",
}

DISPATCH = {
    "hold.go": """\
package dispatch

import (
	"fmt"
	"net/http"
	"os"
)

// HoldBooking calls POST /v1/bookings/{id}/hold.
func HoldBooking(base string, id int) error {
	url := fmt.Sprintf("%s/v1/bookings/%d/hold", base, id)
	_, err := http.Post(url, "application/json", nil)
	return err
}

func CancelBooking(base string, id int) error {
	url := fmt.Sprintf("%s/v1/bookings/%d/cancel", base, id)
	_, err := http.Post(url, "application/json", nil)
	return err
}

func Minutes() string {
	return os.Getenv("HOLD_MINUTES")
}

func DueDays() string {
	return os.Getenv("INVOICE_DUE_DAYS")
}
""",
    "consumer.go": """\
package dispatch

func Run(reader Reader) {
	reader.Subscribe("booking.held")
	reader.Subscribe("booking.held.expired")
	reader.Subscribe("bookings.held")
	reader.Subscribe("crew-rosters")
	HoldBooking("http://booking", 4)
	HoldBookings()
}

func HoldBookings() {
	println("HoldBooking was called")
}
""",
    "queries.go": """\
package dispatch

const late = `
	SELECT seats
	FROM bookings
	WHERE held_until < $1`

const lateLockers = `
	SELECT id
	FROM lockers
	WHERE held_until < $1`

const lines = `SELECT bookings.held_until, bookings.seats FROM bookings`
""",
    "roster.go": """\
package dispatch

const rosterTopic = "crew-rosters"

func Tell(bus Bus) {
	bus.Publish(rosterTopic, nil)
	bus.Publish("crew-rosters-archive", nil)
}
""",
}

DEPLOY = {
    "k8s/booking-api.yaml": """\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: booking-api
          env:
            # HOLD_MINUTES is fifteen on staging
            - name: HOLD_MINUTES
              value: "20"
            - name: MAX_HOLD_MINUTES
              value: "90"
            - name: INVOICE_DUE_DAYS
              value: "14"
""",
    "gateway/routes.yaml": """\
routes:
  - path: /v1/bookings/{id}/hold
    method: POST
    upstream: booking-api
  - path: /v1/bookings/{id}/hold/extend
    method: POST
    upstream: booking-api
  - path: /v1/lockers/{id}/hold
    method: POST
    upstream: booking-api
  - path: /api/invoices/{invoice}
    method: GET
    upstream: billing
""",
    "scripts/smoke.sh": """\
#!/bin/sh
# curl -X POST "$HOST/v1/bookings/1/hold"
curl -X POST "https://booking.example/v1/bookings/1/hold"
curl -X POST "https://booking.example/v1/bookings/1/cancel"
curl "$HOST/api/invoices/12"
curl "$HOST/api/invoices/search"
./start --hold-minutes 5 --hold-minutes-max 9
""",
    "topics.yaml": """\
topics:
  - name: booking.held
    partitions: 3
  - name: booking.held.expired
    partitions: 1
  - name: crew-rosters
    partitions: 1
""",
    "Jenkinsfile": """\
pipeline {
  environment {
    HOLD_MINUTES = '5'
    THRESHOLD_MINUTES = '2'
  }
}
""",
}

REPOSITORIES = {
    "booking-api": BOOKING_API,
    "gate-app": GATE_APP,
    "billing": BILLING,
    "dispatch": DISPATCH,
    "deploy": DEPLOY,
}
