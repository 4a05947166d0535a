"""What reviews told and people set aside, and what models cost by the day.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "review",
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("trigger_id", sa.String(), nullable=False),
        sa.Column("made_for", sa.JSON(), nullable=False),
        sa.Column("findings", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name="fk_review_job_id"),
        sa.PrimaryKeyConstraint("job_id", name="pk_review"),
    )
    op.create_index("ix_review_subject", "review", ["subject"])
    op.create_table(
        "dismissal",
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("comment_id", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("subject", "comment_id", "fingerprint", name="pk_dismissal"),
    )
    op.create_table(
        "spending",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day", "purpose", name="pk_spending"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("spending")
    op.drop_table("dismissal")
    op.drop_table("review")
