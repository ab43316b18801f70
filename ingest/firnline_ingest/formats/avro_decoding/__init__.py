"""Avro's binary encoding: which schemas are decoded, objects in and around their framings, and what the bytes may not be."""
