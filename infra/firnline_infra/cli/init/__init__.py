"""`firnline init`: an environment's first specification, and what has to exist before its first `up`."""

from firnline_infra.cli.init.command import init

__all__ = ["init"]
