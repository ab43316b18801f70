"""Redshift beside Snowflake: what follows from the specification, and the statements that make it."""

from firnline_infra.blueprint.redshift.definitions import RedshiftDestination
from firnline_infra.blueprint.redshift.destination import REDSHIFT_ROLE, redshift_destination
from firnline_infra.blueprint.redshift.refreshing import REFRESH_ROLE

__all__ = ["REDSHIFT_ROLE", "REFRESH_ROLE", "RedshiftDestination", "redshift_destination"]
