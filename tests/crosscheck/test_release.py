"""The urgent findings of many tickets as rows and as CSV."""

import csv
import io

from crosscheck.release import as_csv, open_points


def reviewed(key, *findings):
    return {"key": key, "title": f"Title of {key}", "url": f"https://jira.example/browse/{key}", "findings": findings}


def finding(priority, statement="The limit is not said.", sources=("Policy", "Policy")):
    evidence = [{"title": title} for title in sources]
    return {
        "priority": priority,
        "category": "missing rule",
        "statement": statement,
        "question": "Which?",
        "evidence": evidence,
    }


def test_what_is_urgent_comes_by_priority_and_ticket():
    rows = open_points(
        [
            reviewed("PAY-10", finding("P1"), finding("P2")),
            reviewed("PAY-9", finding("P1")),
            reviewed("PAY-11", finding("P0")),
        ]
    )
    assert [(row["ticket"], row["priority"]) for row in rows] == [("PAY-11", "P0"), ("PAY-9", "P1"), ("PAY-10", "P1")]
    assert rows[0]["sources"] == "Policy"


def test_no_text_becomes_a_formula_in_a_spreadsheet():
    rows = open_points([reviewed("PAY-1", finding("P0", '=HYPERLINK("https://evil.example";"x")', ("@a",)))])
    (written,) = csv.DictReader(io.StringIO(as_csv(rows)))
    assert written["statement"].startswith("'=")
    assert written["sources"] == "'@a"


def test_without_a_finding_there_is_the_head_alone():
    assert as_csv(open_points([reviewed("PAY-1")])).strip().startswith("ticket,title,priority")
