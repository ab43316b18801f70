"""Whether a row holds what its record holds, value by value. Pure: bytes and the connector's values in, verdicts out.

docs/audit.md says what counts as equal for each type of column.
"""
