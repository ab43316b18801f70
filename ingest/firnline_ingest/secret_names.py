"""Words of an option's or a field's name that say that its value is secret, for whatever shows, writes down or refuses one.

Who asks adds the words of its own field. The shapes of secrets, for texts without fields, are in `logs.py`.
"""

CONFIDENTIAL = r"secret|passw(?:or)?d|passphrase|token|private.?key|access.?key|api.?key"
