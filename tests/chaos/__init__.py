"""Chaos: the engine's shards under seeded schedules of kills, freezes and faults, each with a proof at its end.

`schedule.py` says what happens, `drill.py` carries it out in a `lane.py`, `verdict.py` finds every record again, `suite.py`
does that for many seeds. The engine, the Snowflake SDK and the wire are real; the services are the embedded ones.
"""
