"""Run by Alembic: applies the steps on the connection that `state.schema` hands in, inside its transaction."""

from alembic import context

from state.tables import Table

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Table.metadata,
    render_as_batch=True,  # SQLite alters a table by rebuilding it
)
with context.begin_transaction():
    context.run_migrations()
