"""What of a document could not be read, and how many credentials were masked in it.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    with op.batch_alter_table("document") as table:
        table.add_column(sa.Column("unread", sa.JSON(), nullable=False, server_default="[]"))
        table.add_column(sa.Column("masked", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop them."""
    with op.batch_alter_table("document") as table:
        table.drop_column("masked")
        table.drop_column("unread")
