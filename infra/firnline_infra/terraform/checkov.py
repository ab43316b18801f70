"""Settings for Checkov that lie beside a module: what it asks for and an environment has otherwise, each with its reason.

Checkov skips a check as a whole; that no other resource hides behind one, `firnline policy` looks after.
"""

import re

from firnline_infra.kinds import KINDS

SETTINGS = ".checkov.yaml"
SKIPS = {
    "CKV_AWS_18": "who asked the bucket for what is in CloudTrail's data events; whether it keeps them is the account's affair",
    "CKV_AWS_40": "only with `trust: static-keys`, for an engine outside of AWS: its user has one policy, and a boundary",
    "CKV_AWS_119": "with `key: {origin: skip}` alone; if there is a key, `firnline policy` finds a table without it",
    "CKV_AWS_144": "what is in the bucket belongs to streams of one region, and is useless in another",
    "CKV_AWS_145": "with `key: {origin: skip}` alone; if there is a key, `firnline policy` finds a bucket without it",
    "CKV_AWS_149": "`firnline keys` puts a secret there before the bootstrap has made the key; an adopted key encrypts it",
    "CKV_AWS_273": "only with `trust: static-keys`, for an engine outside of AWS, which has no single sign-on",
    "CKV_AWS_382": "Snowflake and registries are reached by names whose addresses change; the network decides (docs/network.md)",
    "CKV2_AWS_5": "EMR Serverless, and EMR on EC2, take the group as an argument, which Checkov does not know",
    "CKV2_AWS_55": "Spark's spill is on the cluster's disks, and nothing that is kept: the account's default encryption of EBS",
    "CKV2_AWS_57": "`firnline keys rotate` changes the key in Snowflake and in the secret, in this order; no Lambda does",
    "CKV2_AWS_62": "the engine writes what is in the bucket; nothing waits for it",
    **{id_: reason for kind in KINDS for id_, reason in kind.checkov_skips.items()},
}


def settings() -> str:
    """`checkov -d MODULE` finds it there."""
    lines = [
        "# Written by `firnline terraform` beside the module. Run: checkov -d <this folder>",
        "framework: [terraform_json]",
        "skip-path: [versions.tf.json] # Checkov can't read required_version in JSON",
        "skip-check:",
        *(line for id_, reason in sorted(SKIPS.items(), key=_number) for line in (f"  # {reason}", f"  - {id_}")),
    ]
    return "\n".join(lines) + "\n"


def _number(skip: tuple[str, str]) -> list[int]:
    """Checkov's order: CKV_AWS_18, CKV_AWS_119, CKV2_AWS_5."""
    return [int(each or 1) for each in re.findall(r"^CKV(\d?)_\D+(\d+)", skip[0])[0]]
