"""Formats of records: a file a kind, with its options, its traits and its code (config/format.py).

Nothing imports them by name: config/kinds.py finds them. What several of them need stands beside them: framing, packing.
"""
