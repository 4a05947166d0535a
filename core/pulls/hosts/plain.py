"""Pull requests of a repository whose host is not asked: what Git alone tells of them."""

import re
from collections.abc import Mapping, Sequence

from core.errors import SourceGone, SourceIncomplete
from core.mirror import Mirror
from core.pulls.hosts import api
from core.pulls.hosts.site import newest_first, quoted
from core.pulls.naming import names
from core.pulls.types import PullRef, PullRequest

_REF = re.compile(
    r"refs/(?:pull/(\d{1,10})/head|merge-requests/(\d{1,10})/head|pull-requests/(\d{1,10})/from)", re.ASCII
)
_NEWEST = 30  # pull requests that are looked at, of one repository
_FETCHED = 5  # of these that are fetched to be looked at


class PlainHost:
    """Reads the refs that the origin of a mirror keeps for pull requests. Their titles are the subjects of their head
    commits, and their base is taken to be the branch `baseline` (empty: the repository's own). `link` is the address of
    a file's page with `{branch}`, `{path}` and `{line}`; empty: there is none.
    """

    def __init__(self, mirror: Mirror, *, baseline: str = "", link: str = "") -> None:
        self._mirror = mirror
        self._baseline = baseline
        self._link = link
        self._refs: dict[int, str] = {}

    def pull(self, ref: PullRef, project: str) -> PullRequest:
        del project
        head = self._heads().get(ref.number)
        if head is None:
            raise SourceGone(f"there is no pull request {ref.number}")
        if not self._mirror.has(head):
            head = self._mirror.fetch_pull(ref.number, self.head_ref(ref.number))
        said = self._mirror.commits([head])[0]
        base = self._baseline or self._mirror.default_branch()
        merged = self._mirror.is_ancestor(head, self._mirror.head(base))
        return PullRequest(
            ref=ref,
            title=api.title(said.subject),
            description=api.description(said.message.partition("\n")[2].strip()),
            url="",
            state="merged" if merged else "open",
            head=head,
            head_branch=next((tip.name for tip in self._mirror.branches() if tip.commit == head), ""),
            base_branch=base,
            author=api.title(said.author),
            base_assumed=True,
            updated=said.committed,
        )

    def with_text(self, repo: str, project: str, text: str) -> Sequence[PullRef]:
        """Raises SourceIncomplete if none was found, and not all of the latest could be looked at."""
        del project
        branches = {tip.commit: tip.name for tip in self._mirror.branches()}
        heads, left = self._known(fetch=_FETCHED)
        subjects = {commit.id: commit.subject for commit in self._mirror.commits(sorted(set(heads.values())))}
        found = [
            number
            for number, head in heads.items()
            if names(subjects.get(head, ""), text) or names(branches.get(head, ""), text)
        ]
        if left and not found:
            raise SourceIncomplete(f"{left} pull requests were not looked at")
        return newest_first(repo, found)

    def with_commit(self, repo: str, project: str, commit: str) -> Sequence[PullRef]:
        """Those whose head it is, those that it merged, and those that bring it to the baseline."""
        del project
        heads, _ = self._known(fetch=0)
        wanted = {commit, *self._mirror.commits([commit])[0].parents[1:]}
        baseline = self._mirror.head(self._baseline or None)
        is_new = not self._mirror.is_ancestor(commit, baseline)
        found = [
            number
            for number, head in heads.items()
            if head in wanted or (is_new and self._mirror.is_ancestor(commit, head))
        ]
        return newest_first(repo, found)

    def in_address(self, address: str, projects: Mapping[str, str]) -> PullRef | None:
        """None: the addresses of its pages are not known."""
        del address, projects
        return None

    def head_ref(self, number: int) -> str:
        return self._refs.get(number) or f"refs/pull/{number}/head"

    def page(self, project: str, commit: str, path: str, line: int | None) -> str:
        del project
        page = self._link.replace("{branch}", commit).replace("{path}", quoted(path))
        return page.replace("{line}", str(line)) if line else page.partition("#")[0]

    def _heads(self) -> dict[int, str]:
        """The head of each by its number."""
        heads: dict[int, str] = {}
        for ref, commit in self._mirror.pulls_at_origin().items():
            if found := _REF.fullmatch(ref):
                number = int(next(filter(None, found.groups())))
                self._refs[number], heads[number] = ref, commit
        return heads

    def _known(self, fetch: int) -> tuple[dict[int, str], int]:
        """The heads of the newest that the mirror has, once it fetched some of the others; how many it has not."""
        heads = dict(sorted(self._heads().items(), reverse=True)[:_NEWEST])
        missing = [number for number, head in heads.items() if not self._mirror.has(head)]
        for number in missing[:fetch]:
            heads[number] = self._mirror.fetch_pull(number, self.head_ref(number))
        for number in missing[fetch:]:
            del heads[number]
        return heads, len(missing[fetch:])
