"""What SQL does besides queries: one file per family of statements, found by `execute.py`."""
