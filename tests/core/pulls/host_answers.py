"""Answers of the four hosts for one pull request, number 7 of acme/web, as far as they are read."""

from tests.core.pulls.hosting import HEAD

KEY = "BKG-142"


def github(**changed):
    owner = {"login": "anna", "id": 1}
    repo = {"id": 5, "full_name": "acme/web"}
    return {
        "number": 7,
        "state": "open",
        "draft": False,
        "title": "BKG-142 Hold bookings",
        "body": "Why\r\nand how",
        "user": owner,
        "merged": False,
        "merged_at": None,
        "merge_commit_sha": "d" * 40,
        "head": {"ref": "feature/x", "sha": HEAD, "repo": repo},
        "base": {"ref": "main", "sha": "e" * 40, "repo": repo},
        "changed_files": 3,
        "updated_at": "2026-03-02T09:00:00Z",
        **changed,
    }


def gitlab(**changed):
    return {
        "iid": 7,
        "state": "opened",
        "draft": False,
        "title": "BKG-142 Hold bookings",
        "description": "Why\nand how",
        "author": {"name": "anna"},
        "sha": HEAD,
        "merge_commit_sha": None,
        "squash_commit_sha": None,
        "source_branch": "feature/x",
        "target_branch": "main",
        "source_project_id": 5,
        "target_project_id": 5,
        "changes_count": "3",
        "updated_at": "2026-03-02T09:00:00.000Z",
        "references": {"full": "acme/web!7"},
        **changed,
    }


def cloud(**changed):
    repo = {"type": "repository", "uuid": "{5}", "full_name": "acme/web"}
    return {
        "type": "pullrequest",
        "id": 7,
        "state": "OPEN",
        "draft": False,
        "title": "BKG-142 Hold bookings",
        "summary": {"raw": "Why\nand how"},
        "author": {"type": "user", "display_name": "anna"},
        "source": {"repository": repo, "branch": {"name": "feature/x"}, "commit": {"hash": HEAD[:12]}},
        "destination": {"repository": repo, "branch": {"name": "main"}, "commit": {"hash": "e" * 12}},
        "updated_on": "2026-03-02T09:00:00+00:00",
        **changed,
    }


def data_center(**changed):
    repo = {"id": 5, "slug": "web"}
    return {
        "id": 7,
        "state": "OPEN",
        "draft": False,
        "title": "BKG-142 Hold bookings",
        "description": "Why\nand how",
        "author": {"user": {"displayName": "anna"}},
        "fromRef": {"id": "refs/heads/feature/x", "latestCommit": HEAD, "repository": repo},
        "toRef": {"id": "refs/heads/main", "latestCommit": "e" * 40, "repository": repo},
        "updatedDate": 1772442000000,
        **changed,
    }


def listed(values, **more):
    """As Bitbucket lists."""
    return {"values": values, "isLastPage": True, **more}
