"""Redshift's streaming ingestion without an account: workgroups, the Data API, and the statements that firnline sends.

control.py has the workgroups, data_api.py the statements' life, statements.py their forms, database.py what they do, ingestion.py
how a stream is read, lowering.py how a SELECT becomes one of DuckDB. What any other statement would do is refused by name.
"""
