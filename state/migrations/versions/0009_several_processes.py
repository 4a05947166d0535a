"""Who leads, which tokens are revoked, where jobs were asked for, and who was told to ask later.

Tokens may be more than PostgreSQL's four bytes hold.

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
    op.create_table(
        "refusal",
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("place", sa.String(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("person", "place", name="pk_refusal"),
    )
    for name in ("picture", "spending"):
        with op.batch_alter_table(name) as table:
            table.alter_column("tokens", type_=sa.BigInteger(), existing_type=sa.Integer(), existing_nullable=False)
    with op.batch_alter_table("job") as table:
        table.add_column(sa.Column("place", sa.String(), nullable=False, server_default=""))
        table.create_index("ix_job_place_created_at", ["place", "created_at"])


def downgrade() -> None:
    """Forget them: revoked tokens are taken again, unless the settings do not name them any more."""
    with op.batch_alter_table("job") as table:
        table.drop_index("ix_job_place_created_at")
        table.drop_column("place")
    for name in ("picture", "spending"):
        with op.batch_alter_table(name) as table:
            table.alter_column("tokens", type_=sa.Integer(), existing_type=sa.BigInteger(), existing_nullable=False)
    op.drop_table("refusal")
    op.drop_table("revocation")
    op.drop_table("leader")
