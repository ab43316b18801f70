"""Channels: opening, appending, asking, dropping."""
