import json
from typing import Any

import pytest

from firnline_infra.pulumi import providers
from firnline_local.pulumi.schema import provider_fields
from firnline_local.pulumi.validate import check_shape
from tests.infra.pulumi.conftest import Deploy, SpecOf

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
        "role": "FIRNLINE_PROD_DEPLOY",
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
