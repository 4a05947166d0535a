"""Office files (OOXML): workbooks, presentations and text documents. Nothing heavy is imported here."""
