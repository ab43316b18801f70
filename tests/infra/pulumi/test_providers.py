import inspect
import json
import re
from pathlib import Path
from typing import Any

import pulumi_aws
import pulumi_snowflake
import pytest

from firnline_infra.pulumi import providers
from firnline_local.pulumi.schema import provider_fields
from firnline_local.pulumi.validate import check_shape
from tests.infra.pulumi.conftest import Deploy, SpecOf

SDKS = {"aws": pulumi_aws, "snowflake": pulumi_snowflake}
VARIABLE = re.compile(r"\b(?:AWS|SNOWFLAKE)(?:_[A-Z0-9]+)+\b")
TEXTS = {"region", "role", "warehouse", "organizationName", "accountName"}


def configured(name: str, deploy: Any, spec: Any) -> dict[str, Any]:
    """A provider's lists travel as JSON in text."""
    inputs = deploy(lambda: providers(spec))[name].inputs
    return {key: value if key in TEXTS else json.loads(value) for key, value in inputs.items() if key != "version"}


def test_the_providers_work_in_the_specifications_accounts_alone(deploy: Deploy, spec_of: SpecOf) -> None:
    spec = spec_of("prod")
    aws = configured("aws", deploy, spec)
    assert (aws["region"], aws["allowedAccountIds"]) == ("eu-central-1", ["333344445555"])
    snowflake = configured("snowflake", deploy, spec)
    assert snowflake == {
        "organizationName": "ACME",
        "accountName": "PROD",
        "warehouse": "COMPUTE_WH",
        "previewFeaturesEnabled": [
            "snowflake_iceberg_table_resource",
            "snowflake_table_resource",
            "snowflake_user_authentication_policy_attachment_resource",
        ],
    }


@pytest.mark.parametrize("name", ["aws", "snowflake"])
def test_a_provider_takes_what_it_is_told(name: str, deploy: Deploy, spec_of: SpecOf) -> None:
    assert check_shape(provider_fields(name), configured(name, deploy, spec_of("prod"))) == []


def variables_of(sdk: Any) -> list[str]:
    """Every one that a provider's SDK names: it reads some for itself, and its documentation tells of the others."""
    folder = Path(inspect.getfile(sdk)).parent
    text = "".join((folder / file).read_text() for file in ("provider.py", "config/vars.py", "_utilities.py"))
    return sorted(set(VARIABLE.findall(text)))


@pytest.mark.parametrize("name", SDKS)
def test_what_the_environment_holds_gets_into_no_providers_inputs(
    name: str, deploy: Deploy, spec_of: SpecOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, variables = spec_of("local"), variables_of(SDKS[name])
    for variable in variables:
        monkeypatch.delenv(variable, raising=False)
    without = deploy(lambda: providers(spec))[name].inputs
    for variable in variables:
        monkeypatch.setenv(variable, "4711")  # a port may be among them
    assert {"aws": "AWS_REGION", "snowflake": "SNOWFLAKE_PASSWORD"}[name] in variables
    assert deploy(lambda: providers(spec))[name].inputs == without
    assert "4711" not in str(without)
