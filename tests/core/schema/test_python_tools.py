"""Alembic and Django, each with a table that it made itself, on every kind of database."""

import io
from contextlib import contextmanager

import django
import pymysql
import pytest
from alembic import command
from alembic.config import Config
from django.conf import settings
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from tests.core.schema.scene import file, read, states, step
from tests.core.schema.servers import PASSWORD

ENV = """from alembic import context
engine = context.config.attributes["engine"]
with engine.connect() as connection:
    context.configure(connection=connection)
    with context.begin_transaction():
        context.run_migrations()
"""


def revision(name, after, body="pass", title="Something"):
    head = f'"""{title}"""\nimport sqlalchemy as sa\nfrom alembic import op\nrevision: str = "{name}"\n'
    down = 'def downgrade():\n    op.drop_table("never")\n'
    return f"{head}down_revision = {after!r}\n\n\ndef upgrade():\n    {body}\n\n\n{down}"


REVISIONS = {
    "a1_bookings.py": revision("a1", None, 'op.create_table("booking", sa.Column("id", sa.Integer()))', "Bookings"),
    "b2_hold.py": revision("b2", "a1", 'op.add_column("booking", sa.Column("hold_minutes", sa.Integer()))', "Hold"),
    "c3_other.py": revision("c3", "a1", 'op.execute("CREATE TABLE other (x INT)")'),
    "d4_merge.py": revision("d4", ("b2", "c3")),
    "e5_next.py": revision(
        "e5", "d4", 'with op.batch_alter_table("booking") as b:\n        b.drop_column("hold_minutes")'
    ),
}


@pytest.fixture(params=["sqlite", "postgres", "mariadb"])
def place(request, tmp_path):
    """An engine that may write, the address for reading, and the password."""
    if request.param == "sqlite":
        url = file(tmp_path)
        return create_engine(url, poolclass=NullPool), url, ""
    server = request.getfixturevalue(request.param)
    name = server.database()
    return server.engine(name), server.address(name), PASSWORD


def alembic(origin, engine, target):
    (origin.folder / "migrations/env.py").write_text(ENV)
    config = Config(stdout=io.StringIO())
    config.set_main_option("script_location", str(origin.folder / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["engine"] = engine
    command.upgrade(config, target)


def test_alembic(origin, mirror, place):
    engine, url, password = place
    origin.commit("PAY-1", {f"migrations/versions/{name}": text for name, text in REVISIONS.items()})
    alembic(origin, engine, "b2")
    history = read(mirror, "alembic", url, "migrations", password=password)
    assert list(states(history).items()) == [
        ("a1", "applied"), ("b2", "applied"), ("c3", "pending"), ("d4", "pending"), ("e5", "pending"),
    ]  # fmt: skip
    alembic(origin, engine, "d4")
    history = read(mirror, "alembic", url, "migrations", password=password)
    assert states(history) == {"a1": "applied", "b2": "applied", "c3": "applied", "d4": "applied", "e5": "pending"}
    told = {one.id: [f"{t.table}.{t.column} {t.how}" for t in one.touched] for one in history.steps}
    assert told == {
        "a1": ["booking. made", "booking.id made"],
        "b2": ["booking.hold_minutes made"],
        "c3": ["other. made", "other.x made"],
        "d4": [],
        "e5": ["booking. changed", "booking.hold_minutes removed"],
    }
    assert (step(history, "b2").title, step(history, "b2").tickets) == ("Hold", ("PAY-1",))


def test_a_head_that_no_file_has(origin, mirror, tmp_path):
    origin.commit("PAY-1", {"m/a1.py": revision("a1", None), "m/b2.py": revision("b2", "a1")})
    url = file(tmp_path, "CREATE TABLE alembic_version (version_num TEXT)", "INSERT INTO alembic_version VALUES ('zz')")
    history = read(mirror, "alembic", url, "m")
    assert states(history) == {"a1": "unknown", "b2": "unknown", "zz": "not in Git"}


def test_nothing_of_a_file_is_run(origin, mirror, tmp_path):
    evil = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    origin.commit("x", {"m/a1.py": revision("a1", None) + evil, "m/b.py": "(" * 5000, "m/c.py": b"\xff\x00"})
    url = file(tmp_path, "CREATE TABLE alembic_version (version_num TEXT)")
    assert states(read(mirror, "alembic", url, "m")) == {"a1": "pending"}
    assert not (tmp_path / "ran").exists()


DJANGO = {
    "shop/booking/migrations/__init__.py": "",
    "shop/booking/migrations/0001_initial.py": """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = []
    operations = [
        migrations.CreateModel("Booking", fields=[("id", models.AutoField(primary_key=True)),
            ("guest", models.ForeignKey("x.Guest", models.CASCADE))]),
        migrations.CreateModel(name="Room", fields=[("no", models.IntegerField(db_column="number"))],
            options={"db_table": "rooms"}),
    ]
""",
    "shop/booking/migrations/0002_hold.py": """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("booking", "0001_initial")]
    operations = [
        migrations.AddField("booking", "hold_minutes", models.IntegerField()),
        migrations.RemoveField("Room", "no"),
        migrations.RunSQL("CREATE INDEX i ON rooms (floor)"),
        migrations.RunPython(lambda apps, schema: None),
    ]
""",
    "shop/booking/migrations/0003_next.py": """
from django.db import migrations

class Migration(migrations.Migration):
    dependencies = [("booking", "0002_hold"), ("auth", "0001_initial")]
    operations = [migrations.RenameField("booking", "guest", "visitor")]
""",
}


@contextmanager
def django_at(engine):
    """Django's own connection to the same place."""
    kinds = {"sqlite": "sqlite3", "postgresql": "postgresql", "mysql": "mysql"}
    url = engine.url
    pymysql.install_as_MySQLdb()  # what Django looks for
    at = {"ENGINE": f"django.db.backends.{kinds[url.get_backend_name()]}", "NAME": url.database}
    at |= {"HOST": url.host or "", "PORT": url.port or "", "USER": url.username or ""}
    if not settings.configured:
        settings.configure(DATABASES={"default": at}, USE_TZ=True, LOGGING_CONFIG=None)  # this process has its own
        django.setup()
    connections.settings = connections.configure_settings({"default": at})
    connection = connections["default"] = connections.create_connection("default")
    try:
        yield connection
    finally:
        connection.close()


def test_django(origin, mirror, place):
    engine, url, password = place
    origin.commit("PAY-7 Bookings", DJANGO)
    with django_at(engine) as connection:
        recorder = MigrationRecorder(connection)
        recorder.ensure_schema()
        for app, name in [("auth", "0001_initial"), ("booking", "0001_initial"), ("booking", "0002_hold")]:
            recorder.record_applied(app, name)
    history = read(mirror, "django", url, "shop", password=password)
    assert states(history) == {
        "booking.0001_initial": "applied", "booking.0002_hold": "applied", "booking.0003_next": "pending",
    }  # fmt: skip
    told = {one.id: [f"{t.table}.{t.column} {t.how}" for t in one.touched] for one in history.steps}
    assert told["booking.0001_initial"] == [
        "booking_booking. made", "booking_booking.id made", "booking_booking.guest_id made",
        "rooms. made", "rooms.number made",
    ]  # fmt: skip
    assert told["booking.0002_hold"] == [
        "booking_booking. changed", "booking_booking.hold_minutes made", "rooms. changed", "rooms.number removed",
        "rooms.floor changed",
    ]  # fmt: skip
    assert told["booking.0003_next"] == ["booking_booking.guest_id removed", "booking_booking.visitor_id made"]
    assert step(history, "booking.0002_hold").notes == ("It runs code of its own, which is not read.",)
    assert history.notes == ("Left out: migrations of apps that are not kept here (auth).",)
    assert step(history, "booking.0001_initial").at is not None


DJANGO_TABLE = "CREATE TABLE django_migrations (id INTEGER PRIMARY KEY, app TEXT, name TEXT, applied TEXT)"


def django_row(number, name, at="2026-03-02 09:10:00.5"):
    return f"INSERT INTO django_migrations VALUES ({number}, 'booking', '{name}', '{at}')"


def test_a_file_that_was_edited_after_it_was_applied(origin, mirror, tmp_path):
    origin.commit("PAY-7", DJANGO)
    hold = "shop/booking/migrations/0002_hold.py"
    origin.made = 30
    origin.commit("PAY-8 Other", {hold: DJANGO[hold].replace("hold_minutes", "hold_hours")})
    url = file(tmp_path, DJANGO_TABLE, django_row(1, "0001_initial"), django_row(2, "0002_hold"))
    history = read(mirror, "django", url, "shop")
    edited = step(history, "booking.0002_hold")
    assert edited.state == "edited"
    assert "Its file was changed on 2026-03-02, after it was applied." in edited.notes
    assert edited.tickets == ("PAY-7", "PAY-8")
    origin.commit("Back again", {hold: DJANGO[hold]})
    assert states(read(mirror, "django", url, "shop"))["booking.0002_hold"] == "applied"


def test_moved_files_keep_their_past(origin, mirror, tmp_path):
    first = origin.commit("PAY-7", DJANGO)
    origin.move("Tidy", {name: name.replace("shop/", "src/") for name in DJANGO if "__init__" not in name})
    url = file(tmp_path, DJANGO_TABLE, django_row(1, "0001_initial"), django_row(2, "0002_hold"))
    history = read(mirror, "django", url, "src")
    assert states(history)["booking.0002_hold"] == "applied"
    assert (step(history, "booking.0002_hold").commit, step(history, "booking.0002_hold").tickets) == (
        first,
        ("PAY-7",),
    )


def test_django_out_of_order_and_squashed(origin, mirror, tmp_path):
    squashed = DJANGO["shop/booking/migrations/0001_initial.py"].replace(
        "dependencies = []", 'replaces = [("booking", "0000_a"), ("booking", "0000_b")]\n    dependencies = []'
    )
    origin.commit("PAY-7", {**DJANGO, "shop/booking/migrations/0001_initial.py": squashed})
    rows = [django_row(1, "0000_a"), django_row(2, "0000_b"), django_row(3, "0003_next"), django_row(4, "0009_lost")]
    assert states(read(mirror, "django", file(tmp_path, DJANGO_TABLE, *rows), "shop")) == {
        "booking.0001_initial": "applied",
        "booking.0002_hold": "pending",
        "booking.0003_next": "out of order",
        "booking.0000_a": "applied",
        "booking.0000_b": "applied",
        "booking.0009_lost": "not in Git",
    }
