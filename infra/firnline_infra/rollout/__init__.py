"""The roll-out of an engine: what runs, what should run, and the way from one to the other without two writers."""
