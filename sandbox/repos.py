"""Builds the company's Git repositories. The same company gives the same commit ids, on every machine."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from sandbox.git import GONE, PULL_REFS, GitFailed, commit_files, commit_head, git, reset, who
from sandbox.load import CompanyError
from sandbox.records import Commit, Company, Pull, Repo


def build(company: Company, folder: Path) -> dict[str, Path]:
    """Bare repositories below `folder`, by name, with the heads of their pull requests. They must not be there yet.

    Raises CompanyError when git refuses or a pull request has no commit, and FileExistsError.
    """
    built = {}
    for repo in company.repos:
        path = folder / f"{repo.name}.git"
        path.mkdir(parents=True)
        stream = b"".join(_Stream(company, repo).parts())
        try:
            git(path, "init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main")
            git(path, "fast-import", "--quiet", stream=stream)
        except GitFailed as error:
            raise CompanyError(str(error)) from error
        built[repo.name] = path
    return built


class _Stream:
    """Input of `git fast-import`. Commits are marked from 1 in their order, those of pull requests behind the rest."""

    def __init__(self, company: Company, repo: Repo) -> None:
        self._people = {person.id: person for person in company.people}
        self._repo = repo
        self._pulls = sorted((p for p in company.pulls if p.repo == repo.name), key=lambda p: (p.created, p.number))
        self._releases = [release for release in company.releases if release.repo == repo.name]
        self._mark = 0
        self._tips: dict[str, list[tuple[datetime, int]]] = {}
        """Branch -> when it moved and to which mark, also after it has gone."""

    def parts(self) -> Iterator[bytes]:
        yield from self._history()
        yield from self._tags()
        for pull in self._pulls:
            yield from self._pull(pull)

    def _history(self) -> Iterator[bytes]:
        heads: dict[str, int] = {}
        changed: dict[str, dict[str, str | None]] = {}
        for commit in self._repo.commits:
            files = {**(changed.pop(commit.merges) if commit.merges else {}), **commit.files}
            if commit.branch != "main":
                changed.setdefault(commit.branch, {}).update(files)
            parent = heads.get(commit.branch, heads.get("main"))
            merged = heads.pop(commit.merges) if commit.merges else None
            yield from self._commit(commit, f"refs/heads/{commit.branch}", files, parent, merged)
            self._tips.setdefault(commit.branch, []).append((commit.at, self._mark))
            if commit.merges:
                yield reset(f"refs/heads/{commit.merges}", GONE)
            heads[commit.branch] = self._mark

    def _tags(self) -> Iterator[bytes]:
        made = dict(self._tips.get("main", ()))
        for release in self._releases:
            if release.made not in made:
                raise CompanyError(f"{release.tag} of {release.repo}: main has no commit of {release.made}")
            yield reset(f"refs/tags/{release.tag}", f":{made[release.made]}")

    def _pull(self, pull: Pull) -> Iterator[bytes]:
        first = PULL_REFS[0].format(pull.number)
        branch = f"{pull.fork}:{pull.branch}" if pull.fork else pull.branch
        parent = self._tip(pull.base, pull.commits[0].at) if pull.commits else None
        for commit in pull.commits:
            yield from self._commit(commit, first, commit.files, parent)
            self._tips.setdefault(branch, []).append((commit.at, self._mark))
            parent = self._mark
        head = self._tip(branch, pull.closed)
        if head is None:
            raise CompanyError(f"pull request {pull.number} of {pull.repo} has no commit")
        for ref in PULL_REFS:
            yield reset(ref.format(pull.number), f":{head}")
        if pull.commits and pull.state in {"open", "draft"} and pull.fork is None:
            yield reset(f"refs/heads/{pull.branch}", f":{head}")

    def _tip(self, branch: str, at: datetime | None) -> int | None:
        """The mark that a branch was at, at a moment or in the end."""
        marks = [mark for moved, mark in self._tips.get(branch, ()) if at is None or moved <= at]
        return marks[-1] if marks else None

    def _commit(
        self, commit: Commit, ref: str, files: Mapping[str, str | None], parent: int | None, merged: int | None = None
    ) -> Iterator[bytes]:
        self._mark += 1
        yield from commit_head(ref, self._mark, who(self._people[commit.author], commit.at), commit.message)
        if parent:
            yield f"from :{parent}\n".encode()
        if merged:
            yield f"merge :{merged}\n".encode()
        yield from commit_files(files)
