"""The schema's steps, oldest first; `state.schema` runs them.

A step is written by hand and names plain column types, so that it stays what it was when the models move on. The
test of the migrations prints what Alembic finds different between them and the models.
"""
