"""How a database changed: the tables of migration tools, joined with the migration files in Git."""
