"""The `firnline` command."""

from firnline_infra.cli.main import main

__all__ = ["main"]
