"""What a script of SQL touches."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.schema.sql import read_sql
from core.schema.touching import MOST


def told(script: str, **options: bool) -> list[str]:
    return [f"{one.table}.{one.column} {one.how}".replace(". ", " ") for one in read_sql(script, **options).touched]


SCRIPTS = [
    ('CREATE TABLE IF NOT EXISTS public."Booking" (id bigint PRIMARY KEY, hold int, CONSTRAINT c CHECK (x, y))',
     ["public.Booking made", "public.Booking.id made", "public.Booking.hold made"]),
    ("create table t (a int, primary key (a), unique (a), key text, key ix (a), index (a), period int, like x)",
     ["t made", "t.a made", "t.key made", "t.period made"]),
    ("CREATE TABLE `t` (`a b` int /* , c int */, -- d int\n e int)", ["t made", "t.a b made", "t.e made"]),
    ("CREATE TEMPORARY TABLE t (a int)", []),
    ("alter table only t add column a int, drop constraint fk, alter column b type text, rename c to d, drop e",
     ["t changed", "t.a made", "t.b changed", "t.c removed", "t.d made", "t.e removed"]),
    ("ALTER TABLE t CHANGE COLUMN a b INT, MODIFY c TEXT, ADD INDEX i (c), DROP PRIMARY KEY, ADD (x INT, y INT)",
     ["t changed", "t.a removed", "t.b made", "t.c changed", "t.x made", "t.y made"]),
    ("ALTER TABLE s.t RENAME TO u", ["s.t changed", "s.t removed", "s.u made"]),
    ("drop table if exists a, b cascade", ["a removed", "b removed"]),
    ("RENAME TABLE a TO b, c TO d", ["a removed", "b made", "c removed", "d made"]),
    ("CREATE UNIQUE INDEX CONCURRENTLY i ON t USING btree (a, lower(b))", ["t changed", "t.a changed"]),
    ("INSERT INTO t (a, b) VALUES ('it''s; DROP TABLE x', 2)", ["t changed", "t.a changed", "t.b changed"]),
    ("update t set a = 1, b = (select c from d) where e in (1, f)", ["t changed", "t.a changed", "t.b changed"]),
    ("WITH z AS (DELETE FROM u RETURNING *) INSERT INTO v SELECT * FROM z", ["v changed"]),
    ("UPDATE t SET (a, b) = (1, 2), c = 3", ["t changed", "t.a changed", "t.b changed", "t.c changed"]),
    ("COPY t (a) FROM stdin;\nit's ; DROP TABLE x;\n\\.\nDROP TABLE u", ["t changed", "u removed"]),
    ("DELETE FROM t; TRUNCATE a, b", ["t changed", "a changed", "b changed"]),
    ("COMMENT ON COLUMN s.t.c IS 'x'", ["s.t.c changed"]),
    ("DO $body$ BEGIN IF NOT EXISTS (SELECT 1) THEN ALTER TABLE t ADD COLUMN a int; END IF; END $body$",
     ["t changed", "t.a made"]),
    ("CREATE FUNCTION f() RETURNS int AS $$ DROP TABLE t; $$ LANGUAGE sql; DROP TABLE u", ["u removed"]),
    ("DELIMITER //\nCREATE TRIGGER g BEFORE INSERT ON t BEGIN DELETE FROM z; END//\nDELIMITER ;\nDROP TABLE u",
     ["t changed", "u removed"]),
    ("CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE z SET a = CASE WHEN 1 THEN 2 END; END; DROP TABLE u;",
     ["t changed", "u removed"]),
    ("/*!40101 ALTER TABLE t ADD a INT */;", ["t changed", "t.a made"]),
    ("/* one /* two */ DROP TABLE t; */ DROP TABLE u", ["u removed"]),
    ("SELECT 'a -- b'; drop table t", ["t removed"]),
    ("CREATE OR REPLACE VIEW v AS SELECT 1; DROP VIEW w", ["v made", "w removed"]),
    ("GRANT SELECT ON t TO r; SET x = 1; BEGIN; COMMIT", []),
]  # fmt: skip


@pytest.mark.parametrize(("script", "expected"), SCRIPTS)
def test_what_a_script_touches(script, expected):
    assert told(script) == expected
    assert read_sql(script).notes == ()


def test_backslashes_escape_where_the_dialect_says_so():
    script = r"INSERT INTO t VALUES ('\'); DROP TABLE u; -- ')"
    assert told(script) == ["t changed", "u removed"]
    assert told(script, backslashes=True) == ["t changed"]
    assert told(r"INSERT INTO t VALUES (E'\'; DROP TABLE u'); DROP TABLE v") == ["t changed", "v removed"]


def test_what_is_not_understood_is_said():
    assert read_sql("fnord t; DROP TABLE u").notes == ("Not every statement of it is understood.",)
    assert read_sql("DO $$ BEGIN EXECUTE 'DROP TABLE ' || x; END $$").notes[0].startswith("It runs SQL that it puts")


NAME = st.from_regex(r"[a-z][a-z0-9]{2,10}x", fullmatch=True)


@given(NAME, st.lists(NAME, min_size=1, unique=True), st.text(alphabet="abc '\"`;-/*$\n", max_size=40))
def test_names_are_found_whatever_stands_in_texts_and_comments(table, columns, noise):
    text = noise.replace("'", "''")
    comment = noise.replace("\n", " ")
    defined = ",\n".join(f"\"{name}\" text DEFAULT '{text}' -- {comment}\n" for name in columns)
    found = told(f"-- {comment}\nCREATE TABLE {table} ({defined}); INSERT INTO z VALUES ('{text}');")
    assert found == [f"{table} made", *(f"{table}.{name} made" for name in columns), "z changed"]


@given(st.text(max_size=300), st.booleans())
def test_any_text_is_read(script, backslashes):
    found = read_sql(script, backslashes=backslashes)
    assert len(found.touched) <= MOST


@given(
    st.lists(
        st.sampled_from(
            [
                "CREATE",
                "TABLE",
                "t",
                "(",
                ")",
                ",",
                ";",
                "ALTER",
                "ADD",
                "DROP",
                "a",
                "'x'",
                "BEGIN",
                "END",
                "CASE",
                "IF",
                "$$",
                "/*",
                "*/",
                "DO",
                ".",
            ]
        )
    )
)
def test_any_order_of_words_is_read(words):
    read_sql(" ".join(words))


PARTS = ["/*", "$$", "$a$", "'", '"', "(", "a.", "CREATE TABLE t (a", "BEGIN ", "E'\\", "[a", "/*!", "DO $$ "]
PARTS += ["WITH a AS (", "CASE ", "# ", "--"]


@pytest.mark.parametrize("part", PARTS)
def test_the_time_grows_as_the_text(part):
    script = part * (200_000 // len(part))
    began = time.process_time()
    read_sql(script)
    assert time.process_time() - began < 5


def test_a_dump_of_data_is_cut():
    found = read_sql("".join(f"CREATE TABLE t{n} (a int);" for n in range(2 * MOST)))
    assert len(found.touched) == MOST
    assert "only the first are listed" in found.notes[0]
