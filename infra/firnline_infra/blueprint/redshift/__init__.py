"""Redshift beside Snowflake: what follows from the specification, and the statements that make it."""

from firnline_infra.blueprint.redshift.definitions import RedshiftDestination
from firnline_infra.blueprint.redshift.destination import redshift_destination

__all__ = ["RedshiftDestination", "redshift_destination"]
