"""Pages, comments and files as they were, read one by one."""

import pytest

from core.connectors.confluence_api import connect
from core.connectors.http import Limits
from core.errors import SourceGone
from evals.asof.confluence import EDITED, REPLACED, ConfluenceAt
from evals.asof.remarks import Remarks
from tests.evals.asof.stage import LATER, M, stage


@pytest.mark.parametrize("flavour", ["cloud", "data center"])
def test_what_is_read_of_a_site_is_what_it_held_then(tmp_path, flavour):
    with stage(tmp_path, flavour) as place:
        wiki, author = place.box.confluence, place.company.pages[0].versions[0].author
        wiki.now = lambda: M
        above = next(note for note in wiki.notes if note.page == "7201")
        reply = wiki.notes.add("7201", "It holds.", author, reply_to=above.id)
        for number in range(14):
            wiki.edit("7011", f"Group rules, draft {number}.")
        place.plant()
        for number in range(30):
            wiki.edit("7011", f"Group rules, later draft {number}.")
        wiki.move("7009", parent="7001")
        file = next(iter(wiki.files.on("7008"))).id
        chosen = place.settings.confluence
        raw = connect(chosen.site, chosen.user, place.secrets.need("confluence_token"), Limits(), 1_000_000)
        remarks = Remarks()
        api = ConfluenceAt(raw, M, remarks)
        (policies, products) = api.spaces(["POL", "PRD"])
        page = api.page("7001")
        assert (page.version, place.marks["page version"] in page.body) == ("2", False)
        assert [one.number for one in api.versions(page, 10)] == [1]
        group = api.page("7011")
        assert (group.version, "draft 13" in group.body) == ("15", True)
        assert [one.number for one in api.versions(group, 3)] == [14, 13, 12]
        found = api.find(policies, "gift vouchers")
        assert (found and found.id, found and found.title) == ("7009", "Gift vouchers")
        assert api.find(policies, wiki.pages["7009"].title) is None
        assert [(child.id, child.title) for child in api.children("7001", 5)] == [("7009", "Gift vouchers")]
        assert all(one.updated < LATER for one in api.pages(policies))
        assert {one.id for one in api.some_pages(["7001", "7999"], body=False)} == {"7001"}
        for gone in (lambda: api.page("7999"), lambda: api.comment(above.id), lambda: api.attachment(file)):
            with pytest.raises(SourceGone):
                gone()
        (kept,) = [one for one in api.comments([products], body=True) if one.id == reply]
        assert (kept.page, kept.marked, kept.state) == ("7201", above.marked or "", "")
        assert [(one.id, one.parent) for one in api.comments_of("7201")] == [(reply, None)]
        assert file not in {one.id for one in api.attachments([policies])}
        assert {sentence.partition(":")[0] for sentence in remarks.told()} >= {EDITED, REPLACED}
