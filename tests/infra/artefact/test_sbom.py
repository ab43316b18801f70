"""The bill of materials, as CycloneDX's own schema takes it, whatever packages call their licence."""

import json
from email.parser import HeaderParser
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from firnline_infra.artefact.contents import Package, licence_of
from firnline_infra.artefact.sbom import sbom_of


def bill_of(*licences: str) -> dict[str, Any]:
    packages = [Package(f"p{number}", "1.0", each, "p.whl", "0" * 64) for number, each in enumerate(licences)]
    return sbom_of(packages, version="1.0", digest="ab" * 32)


@pytest.mark.parametrize(
    ("header", "licence", "expected"),
    [
        ("License-Expression: MIT OR Apache-2.0", "MIT OR Apache-2.0", [{"expression": "MIT OR Apache-2.0"}]),
        ("License: apache-2.0", "Apache-2.0", [{"expression": "Apache-2.0"}]),
        ("License: 3-Clause BSD License", "BSD-3-Clause", [{"expression": "BSD-3-Clause"}]),
        ("License: BSD", "BSD", [{"license": {"name": "BSD"}}]),
        (
            "License: The MIT License\n        \n        Permission is hereby",
            "The MIT License",
            [{"license": {"name": "The MIT License"}}],
        ),
        ("Name: x", "NOASSERTION", []),
    ],
)
def test_a_licence_is_an_expression_only_where_spdx_has_it(header: str, licence: str, expected: list[Any]) -> None:
    found = licence_of(HeaderParser().parsestr(f"{header}\n"))
    (component,) = bill_of(found)["components"]
    assert (found, component["licenses"]) == (licence, expected)


def test_cyclonedx_takes_it() -> None:
    bill = bill_of("MIT", "BSD", "NOASSERTION", "(MIT OR Apache-2.0) AND BSD-3-Clause")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill)) is None
    bill["components"][0]["licenses"] = [{"expression": 1}]
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill)) is not None
