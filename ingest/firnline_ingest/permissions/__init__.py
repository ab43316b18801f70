"""Permissions of the engine, as data: what it may do and must be allowed in AWS and in Snowflake.

Pure and light, because the blueprint renders policies and grants from it.
"""

from firnline_ingest.permissions.aws import PERMISSIONS
from firnline_ingest.permissions.features import ALWAYS, features_of, required
from firnline_ingest.permissions.permission import Caller, Feature, Permission, Resource

__all__ = ["ALWAYS", "PERMISSIONS", "Caller", "Feature", "Permission", "Resource", "features_of", "required"]
