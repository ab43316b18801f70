"""The engine's configuration where the clouds are embedded: with the public endpoints an engine would leave the machine."""

from collections.abc import Mapping
from typing import Any

from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.public_key import public_key_body
from firnline_local.running import RunningEnvironment


def in_embedded(document: Mapping[str, Any], spec: EnvironmentSpec, environment: RunningEnvironment) -> dict[str, Any]:
    """What to read into which table, and as whom, stays; endpoints and folders are the embedded environment's.

    `spec` has its public keys. One that is the environment's own belongs to a file there.
    """
    own = environment.engine_config()
    places = {name: own["snowflake"][name] for name in ("url", "ca_file")}
    snowflake = {**document["snowflake"], **places}
    public = (environment.folder.keys / "ingest.pub.pem").read_text(encoding="ascii")
    if spec.snowflake.ingest.public_keys.slot_1 == public_key_body(public):
        snowflake["private_key"] = own["snowflake"]["private_key"]
    aws = {**document["aws"], "endpoints": own["aws"]["endpoints"]}
    spark = {**own["spark"], "conf": {**document["spark"].get("conf", {}), **own["spark"].get("conf", {})}}
    return {**document, "aws": aws, "snowflake": snowflake, "dead_letters": own["dead_letters"], "spark": spark}
