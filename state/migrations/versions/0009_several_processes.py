"""Who leads, which tokens are revoked, and where jobs were asked for.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them."""
    op.create_table(
        "leader",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leader"),
    )
    op.create_table(
        "revocation",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_revocation"),
    )
    with op.batch_alter_table("job") as table:
        table.add_column(sa.Column("place", sa.String(), nullable=False, server_default=""))
        table.create_index("ix_job_place_created_at", ["place", "created_at"])


def downgrade() -> None:
    """Forget them: revoked tokens are taken again, unless the settings do not name them any more."""
    with op.batch_alter_table("job") as table:
        table.drop_index("ix_job_place_created_at")
        table.drop_column("place")
    op.drop_table("revocation")
    op.drop_table("leader")
