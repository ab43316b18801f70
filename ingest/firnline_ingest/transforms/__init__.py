"""Transforms of a record before it is a row: a file a kind, with its options, its traits and its code (config/transform.py).

Functions of the record alone: no clock, no network. Nothing imports them by name: config/kinds.py finds them.
"""
