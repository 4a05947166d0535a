"""Drafts that people go on with, who asked for a job, and posts that may have been sent.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

ALIVE = "uq_outbox_delivery_key_alive"


def upgrade() -> None:
    """Add the table and the columns; the key of a post that was begun stays taken."""
    op.create_table(
        "draft",
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("record", sa.JSON(), nullable=False),
        sa.Column("made_for", sa.JSON(), nullable=False),
        sa.Column("rests_on", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_draft_job_id"),
        sa.PrimaryKeyConstraint("job_id", name="pk_draft"),
        sa.UniqueConstraint("subject", "version", name="uq_draft_subject_version"),
    )
    op.add_column("job", sa.Column("asked_by", sa.String(), nullable=False, server_default=""))
    op.create_index("ix_job_asked_by_id", "job", ["asked_by", "id"])
    op.add_column("outbox", sa.Column("begun", sa.Boolean(), nullable=False, server_default=sa.false()))
    _index("state <> 'cancelled' OR begun")


def downgrade() -> None:
    """Drop them. What was begun counts as not begun then: end what waits in the outbox first."""
    _index("state <> 'cancelled'")
    op.drop_column("outbox", "begun")
    op.drop_index("ix_job_asked_by_id", "job")
    op.drop_column("job", "asked_by")
    op.drop_table("draft")


def _index(alive: str) -> None:
    op.drop_index(ALIVE, "outbox")
    where = sa.text(alive)
    op.create_index(ALIVE, "outbox", ["delivery_key"], unique=True, sqlite_where=where, postgresql_where=where)
