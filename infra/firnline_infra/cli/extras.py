"""Extras of our packages, by the module that is not installed."""

from firnline_ingest.errors import EnvironmentalError, declared

EXTRA_OF = {
    "boto3": "firnline-infra[audit]",
    "botocore": "firnline-infra[audit]",
    "snowflake": "firnline-infra[audit]",
    "cryptography": "firnline-infra[deploy]",
    "cramjam": "firnline-infra[audit]",
    "fastavro": "firnline-infra[audit]",
    "google": "firnline-infra[audit]",
    "grpc": "firnline-infra[deploy]",
    "pip": "firnline-infra[deploy]",
    "pulumi": "firnline-infra[deploy]",
    "pulumi_aws": "firnline-infra[deploy]",
    "pulumi_snowflake": "firnline-infra[deploy]",
    "pyarrow": "firnline-ingest[spark]",
    "pyspark": "firnline-ingest[spark]",
    "zstandard": "firnline-infra[audit]",
}


@declared
class MissingExtra(EnvironmentalError):
    """A command needs packages that were left out of the installation. Runbook: FL-1110."""

    module: str
    extra: str

    id = "FL-1110"
    message = "This command needs the Python package {module!r}, which is not installed."
    next_step = "install the extra that brings it: pip install '{extra}'"
    causes = "A command needs a package of an extra"
    remedy = "install the extra that it names"


def missing_extra(error: ModuleNotFoundError) -> MissingExtra | None:
    """Returns None for a module that no extra brings: that is a defect."""
    module = (error.name or "").partition(".")[0]
    return MissingExtra(module, EXTRA_OF[module]) if module in EXTRA_OF else None
