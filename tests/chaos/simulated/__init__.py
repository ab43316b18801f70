"""Stories in simulated time: the real engine's shards over services in memory, days in a second, the same for a seed.

`simulation.py` gives each thread of the engine its turn and moves the time; `kinesis.py`, `snowflake.py` and `memory.py` are the
services with everything that goes wrong, `process.py` is one engine, `acts.py` says what may be done to them, `story.py`
plays a seed. Processes, the SDK and the wire are the drill's (tests/chaos/drill.py).
"""
