"""That a fault of a page is seen as one: a page that has all of them."""

from urllib.parse import quote

from tests.crosscheck.console.browser.chromium import person

FAULTY = """<!doctype html><html><head>
<style>button { outline: none; } .faint { color: rgb(160, 160, 160); }</style></head>
<body style="background: white"><h1>One</h1><h3 id="twice">Three</h3><h1 id="twice">Another</h1>
<p class="faint">too faint</p><p>well</p><div style="width: 3000px">wide</div>
<svg width="9" height="9"></svg><table><tr><th>Head</th></tr></table>
<form><input name="q"><button style="height: 9px; padding: 0">Go</button></form>
<script>console.error("it broke")</script></body></html>"""


def test_every_fault_is_found():
    with person("data:text/html,") as somebody:
        somebody.open(quote(FAULTY))
        faults = "\n".join(somebody.faults())
        for told in (
            "it broke",
            "no other, is of level 1",
            "a level of headings is left out: [1, 3, 1]",
            "wider than the screen",
            "no language or title",
            "styles or scripts stand in the page",
            "2 elements have the id twice",
            "a drawing without a role or a name",
            "a table without a caption or scopes",
            "without a label: q",
            "smaller than 24 px",
            "2.61 to 1 is too faint: 'too faint'",
        ):
            assert told in faults
        assert "'well'" not in faults
        assert [html[:7] for html in somebody.unseen_focus()] == ["<button"]
