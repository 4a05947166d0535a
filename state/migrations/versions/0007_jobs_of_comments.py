"""A comment may ask for more than a review: jobs and keys are of comments.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Call the kind, and the end of each key, `comment`; add what opens a job again."""
    for name in ("passed_over", "noticed_again"):
        op.add_column("job", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    _rename("review", "comment")


def downgrade() -> None:
    """Call them `review` again."""
    _rename("comment", "review")
    for name in ("noticed_again", "passed_over"):
        op.drop_column("job", name)


def _rename(before: str, after: str) -> None:
    """A job's key points to the key that was seen, so that is there under both names for a moment."""
    renamed = f"substr(key, 1, length(key) - {len(before)}) || '{after}'"
    named = f"key LIKE '%|{before}'"
    op.execute(
        f"INSERT INTO seen (key, surface, via, delivery_id, at) "  # noqa: S608  fixed words
        f"SELECT {renamed}, surface, via, delivery_id, at FROM seen WHERE {named}"
    )
    op.execute(f"UPDATE job SET key = {renamed}, kind = '{after}' WHERE {named}")  # noqa: S608
    op.execute(f"DELETE FROM seen WHERE {named}")  # noqa: S608
