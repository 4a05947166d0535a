"""Several generations of the index, each with its documents, sources and cursors.

What was known of the index until now is forgotten: it has an older form, and is built anew.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, and the column to the keys of the others."""
    op.create_table(
        "generation",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("searched", sa.Boolean(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_generation"),
    )
    op.create_index(
        "uq_generation_searched",
        "generation",
        ["searched"],
        unique=True,
        sqlite_where=sa.text("searched"),
        postgresql_where=sa.text("searched"),
    )
    _forget()
    _make(generation=True)


def downgrade() -> None:
    """Back to one index, which is to be built anew too."""
    op.drop_table("generation")
    _forget()
    _make(generation=False)


def _forget() -> None:
    op.drop_table("document")
    op.drop_table("source")
    for pattern in ("source:%", "full:%", "index:%"):
        op.execute(sa.text("DELETE FROM cursor WHERE name LIKE :pattern").bindparams(pattern=pattern))


def _make(*, generation: bool) -> None:
    def column() -> list[sa.Column[str]]:
        return [sa.Column("generation", sa.String(), nullable=False)] if generation else []

    key = ["generation"] if generation else []
    op.create_table(
        "document",
        *column(),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("labels", sa.JSON(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("updated", sa.DateTime(timezone=True), nullable=False),
        sa.Column("indexed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("unread", sa.JSON(), nullable=False, server_default="[]"),
        sa.Column("masked", sa.Integer(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint(*key, "id", name="pk_document"),
    )
    op.create_index(f"ix_document_{'_'.join([*key, 'source'])}", "document", [*key, "source"])
    op.create_table(
        "source",
        *column(),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("last_success", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_attempt", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("running_since", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint(*key, "name", name="pk_source"),
    )
