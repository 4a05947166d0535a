"""Which versions environments were seen to run.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "deployed",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("probe", sa.String(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("commit", sa.String(), nullable=False),
        sa.Column("first", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deployed"),
    )
    op.create_index("ix_deployed_probe_last", "deployed", ["probe", "last"])


def downgrade() -> None:
    """Forget them: since when a version runs counts from the next reading on."""
    op.drop_index("ix_deployed_probe_last", "deployed")
    op.drop_table("deployed")
