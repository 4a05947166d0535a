"""What models said of pictures.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "picture",
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("describer", sa.String(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("refusal", sa.Text(), nullable=True),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("content", "describer", name="pk_picture"),
    )
    op.create_index("ix_picture_at", "picture", ["at"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("picture")
