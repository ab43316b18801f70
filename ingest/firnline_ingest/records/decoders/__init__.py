"""Formats of records: bytes to JSON objects, one file a format. Pure: no clock, no network, no state that decides anything."""
