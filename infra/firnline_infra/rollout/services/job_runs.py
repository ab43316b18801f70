"""What job runs of EMR Serverless and of EMR on EKS have in common."""

from collections.abc import Mapping
from typing import Any

from firnline_infra.rollout.errors import RuntimeUnavailable
from firnline_infra.runtimes.spark_conf import token_of


def start_token(found: Mapping[str, Any]) -> str:
    """The token of a run's start, from its settings as the service describes them; empty where it has none."""
    overrides = found.get("configurationOverrides", {}).get("applicationConfiguration", ())
    return token_of({name: value for each in overrides for name, value in each.get("properties", {}).items()})


def described(found: Mapping[str, Any] | None, action: str, run_id: str) -> Mapping[str, Any]:
    """Of a run that the service lists as active. Raises RuntimeUnavailable where it says in the same breath that there is none:
    taken for none, another one would be started beside it.
    """
    if found is None:
        raise RuntimeUnavailable(action, run_id, "the service lists it, and knows no such run")
    return found
