"""An environment keeps the names that it was made under."""

from pathlib import Path

from firnline_infra.deploy.former_names import changed_names
from firnline_infra.specification import load_spec, parse_spec
from firnline_infra.specification.names import Names
from tests.infra.deploy.test_existing import resource, state_of

USER = "snowflake:index/serviceUser:ServiceUser"
MADE = state_of(resource(USER, name="FIRNLINE_DEV_INGEST"), resource(USER, name="FIRNLINE_DEV_READER"))


def test_an_environment_that_names_no_application_has_the_names_it_had(spec_file: Path) -> None:
    spec = load_spec(spec_file)
    assert changed_names(spec, MADE) is None
    assert str(Names.of(spec).ingest.user) == "FIRNLINE_DEV_INGEST"


def test_one_that_names_its_application_is_told_how_to_keep_them(spec_file: Path) -> None:
    text = spec_file.read_text().replace("name: dev", "name: dev\napplication: shop", 1)
    refused = changed_names(parse_spec(text, "dev.yaml"), MADE)
    assert refused is not None
    assert list(refused.overrides) == [
        "  ingest: {user: FIRNLINE_DEV_INGEST}",
        "  reader: {user: FIRNLINE_DEV_READER}",
        "  deploy_role: FIRNLINE_DEV_DEPLOY",
        "  preview_role: FIRNLINE_DEV_PREVIEW",
    ]
    kept = "{" + ", ".join(each.strip() for each in refused.overrides)
    named = parse_spec(text.replace("snowflake: {", f"snowflake: {kept}, "), "dev.yaml")
    assert changed_names(named, MADE) is None
    assert str(Names.of(named).deploy_role) == "FIRNLINE_DEV_DEPLOY"


def test_policies_that_it_has_keep_their_names_too(spec_file: Path) -> None:
    text = spec_file.read_text().replace("name: dev", "name: dev\napplication: shop", 1)
    policies = "snowflake: {allowed_networks: [192.0.2.0/24], key_pair_only: true, "
    refused = changed_names(parse_spec(text.replace("snowflake: {", policies), "dev.yaml"), MADE)
    assert refused is not None
    assert list(refused.overrides)[-2:] == [
        "  network_policy: {name: FIRNLINE_DEV_NETWORK}",
        "  authentication_policy: FIRNLINE_DEV_KEY_PAIR_ONLY",
    ]


def test_a_new_one_has_the_names_of_its_application(spec_file: Path) -> None:
    spec = parse_spec(spec_file.read_text().replace("name: dev", "name: dev\napplication: shop", 1), "dev.yaml")
    assert changed_names(spec, {}) is None
    assert str(Names.of(spec).ingest.user) == "SHOP_DEV_INGEST"
