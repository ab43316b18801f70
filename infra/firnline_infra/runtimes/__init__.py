"""The places where an engine runs, one folder each: its options, its job, the client of its service. `registry.py` lists them.

The folders' options are sections of the specification, which imports them: so nothing is imported here.
"""
