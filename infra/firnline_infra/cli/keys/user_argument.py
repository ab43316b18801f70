"""Whose key a command of this group is about."""

import click

user_argument = click.argument("user", type=click.Choice(["ingest", "reader"]), default="ingest")
