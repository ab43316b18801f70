"""SELECT and DML: from the text of a query, over names, types and privileges, to DuckDB and back."""
