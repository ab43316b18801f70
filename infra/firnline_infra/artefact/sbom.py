"""The bill of materials, as CycloneDX 1.6 has it (https://cyclonedx.org/docs/1.6/json/); without times, so reproducible too."""

import uuid
from collections.abc import Sequence
from typing import Any

from packaging.utils import canonicalize_name

from firnline_infra.artefact.contents import Package, spdx_expression

SPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "firnline-engine")


def sbom_of(packages: Sequence[Package], *, version: str, digest: str) -> dict[str, Any]:
    """`digest` is the artefact's hash; one artefact has one serial number."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(SPACE, digest)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": f"firnline-engine@{digest}",
                "name": "firnline-engine",
                "version": version,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": [_component(package) for package in packages],
    }


def _component(package: Package) -> dict[str, Any]:
    purl = f"pkg:pypi/{canonicalize_name(package.name)}@{package.version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": package.name,
        "version": package.version,
        "purl": purl,
        "licenses": _licences(package.licence),
        "hashes": [{"alg": "SHA-256", "content": package.sha256}],
        "properties": [{"name": "firnline:wheel", "value": package.wheel}],
    }


def _licences(licence: str) -> list[dict[str, Any]]:
    """Returns what CycloneDX has for it: an SPDX expression, a name where it is none, and nothing where nothing is said."""
    if expression := spdx_expression(licence):
        return [{"expression": expression}]
    return [] if licence == "NOASSERTION" else [{"license": {"name": licence}}]
