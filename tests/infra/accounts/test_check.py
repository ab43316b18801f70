from pathlib import Path

import pytest

from firnline_infra.accounts import check_aws, check_snowflake
from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.errors import AwsUnreachable, SnowflakeRefused, WrongAwsAccount, WrongSnowflakeAccount
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment
from tests.infra.specifications import changed

pytestmark = pytest.mark.contract
LOCAL = Path(__file__).parents[3] / "stacks" / "environments" / "local.yaml"


@pytest.fixture
def accounts(local_environment: RunningEnvironment) -> EmbeddedAccounts:
    return EmbeddedAccounts(local_environment)


@pytest.fixture
def spec() -> EnvironmentSpec:
    return load_spec(LOCAL)


def test_the_accounts_of_the_specification_are_taken(accounts: EmbeddedAccounts, spec: EnvironmentSpec) -> None:
    check_aws(spec, accounts)
    with accounts.snowflake() as session:
        check_snowflake(spec, session)
        check_snowflake(changed(spec, "snowflake.account", "firnline_local"), session)  # as another tool may write it


def test_another_aws_account_is_refused_with_both_numbers(accounts: EmbeddedAccounts, spec: EnvironmentSpec) -> None:
    with pytest.raises(WrongAwsAccount, match=r"111122223333.*000000000000"):
        check_aws(changed(spec, "aws.account", "111122223333"), accounts)


def test_another_snowflake_account_is_refused_with_both_names(
    accounts: EmbeddedAccounts, spec: EnvironmentSpec
) -> None:
    with accounts.snowflake() as session, pytest.raises(WrongSnowflakeAccount, match=r"ACME-PROD.*FIRNLINE-LOCAL"):
        check_snowflake(changed(spec, "snowflake.account", "ACME-PROD"), session)


def test_an_aws_that_does_not_answer_is_no_account(
    accounts: EmbeddedAccounts, spec: EnvironmentSpec, local_environment: RunningEnvironment
) -> None:
    local_environment.add_fault(endpoint="sts:GetCallerIdentity", kind="ERROR", status=403, code="ExpiredToken")
    try:
        with pytest.raises(AwsUnreachable, match="ExpiredToken"):
            check_aws(spec, accounts)
    finally:
        local_environment.set_faults([])


def test_a_refused_statement_is_named(accounts: EmbeddedAccounts) -> None:
    with accounts.snowflake() as session, pytest.raises(SnowflakeRefused, match="DESCRIBE TABLE NOWHERE") as caught:
        rows(session, "DESCRIBE TABLE NOWHERE.AT.ALL")
    assert caught.value.is_about_something_missing
