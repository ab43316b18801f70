"""A specification with Redshift beside Snowflake, through Pulumi's program and the Data API, to rows in a view.

Real: the program, the rows of the providers, the Data API's client. Embedded: the accounts.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pulumi
import pytest
from botocore.exceptions import ClientError

from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.kinds.iam import ROLE_POLICY
from firnline_infra.kinds.kind import own_name
from firnline_infra.kinds.redshift import SCHEDULE
from firnline_infra.observe.existing import already_there
from firnline_infra.pulumi import environment as render
from firnline_infra.pulumi import providers
from firnline_infra.redshift import RedshiftViews
from firnline_infra.redshift.errors import RedshiftStatementFailed, StreamRoleNotAttached, ViewAbsent, ViewsOutOfSight
from firnline_infra.redshift.observed import attached_roles
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.names import Names, bootstrap_names
from firnline_infra.specification.origin import Origin
from firnline_ingest.checks import Verdict
from firnline_ingest.errors import UsageError
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.provisioning import bootstrap
from firnline_local.pulumi.in_process.application import ProgramApplication
from tests.iam.running import enforce_statements

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
PAGE = Path(__file__).parents[3] / "docs" / "redshift.md"
(BOTH,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def program(local_environment: "RunningEnvironment") -> "Iterator[tuple[EnvironmentSpec, ProgramApplication]]":
    spec = bootstrap(local_environment, parse_spec(BOTH, "both"))
    application = ProgramApplication(local_environment)

    def whole() -> None:
        render(spec, pulumi.ResourceOptions(providers=providers(spec, role=str(Names.of(spec).deploy_role))))

    application.up(whole, stack=spec.name, project="firnline")
    yield spec, application
    application.destroy()


@pytest.fixture
def views(
    program: tuple[EnvironmentSpec, ProgramApplication], local_environment: "RunningEnvironment"
) -> RedshiftViews:
    destination = blueprint_of(program[0]).redshift
    assert destination is not None
    return RedshiftViews(destination, local_environment.client, lambda _: None)


def test_what_the_stack_has_made_is_not_in_the_way_of_its_next_up(
    program: tuple[EnvironmentSpec, ProgramApplication], local_environment: "RunningEnvironment"
) -> None:
    """The namespace and the workgroup are named by inputs of their own (FL-6133 would refuse every second `up`)."""
    spec, application = program
    with closing(local_environment.connect("admin")) as session:
        accounts = EmbeddedAccounts(local_environment)
        assert list(already_there(blueprint_of(spec), accounts, session, application.state)) == []


def once(views: RedshiftViews, select: str, count: int) -> list[dict[str, Any]]:
    """The rows, once there are as many: a view refreshes itself after a statement, and not twice within half a second."""
    pause = threading.Event()
    for _ in range(100):
        if len(found := views.database.run(select)) == count:
            return found
        pause.wait(0.1)
    raise AssertionError(found)


def test_records_of_the_stream_are_rows_of_the_view_and_of_the_views_over_it(
    views: RedshiftViews, local_environment: "RunningEnvironment"
) -> None:
    assert views.apply() == []
    local_environment.put_events("Both.Orders", [b'{"kind": "order"}', b"no json", b'{"kind": "return"}'])
    found = once(views, "SELECT kind FROM order_kinds WHERE kind IN ('order', 'return') ORDER BY kind", 2)
    assert [row["kind"] for row in found] == ["order", "return"]
    (audited,) = views.audit((), since=None, until=None)
    assert (audited.is_good, audited.rows >= 2, audited.skipped >= 1) == (True, True, True)
    assert audited.rows + audited.skipped == audited.records
    said: list[str] = []
    again = replace(views, say=said.append)
    assert (again.apply(), again.differences(), said) == ([], [], [])


def test_what_somebody_changed_is_told_and_set_back_and_a_definition_is_never_changed_by_itself(
    views: RedshiftViews,
) -> None:
    views.apply()
    views.database.run("ALTER MATERIALIZED VIEW orders AUTO REFRESH NO")
    views.database.run("DROP VIEW order_kinds")
    names = [each.name for each in views.differences()]
    assert names == ["view public.orders is refreshed by itself", "view public.order_kinds is over public.orders"]
    assert views.apply() == []
    other = replace(views.destination.views[0], where=None)
    differing = replace(views, destination=replace(views.destination, views=(other,)))
    (left,) = differing.apply()
    assert (left.path, left.name) == ("definition", "public.orders")
    assert "firnline redshift rebuild" in left.next_step


def test_what_is_anothers_or_defined_otherwise_is_named_and_its_next_step_sets_it_right(views: RedshiftViews) -> None:
    views.apply()
    for each in ("TABLE orders", "TABLE order_kinds", "SCHEMA kinesis"):
        views.database.run(f'ALTER {each} OWNER TO "IAM:alice"')
    views.database.run("DROP MATERIALIZED VIEW order_count")
    views.database.run("CREATE MATERIALIZED VIEW order_count AS SELECT count(1) AS n FROM public.orders")
    found = views.differences()
    assert [(each.name, each.path) for each in found] == [
        ("public.order_count", "definition"),
        ("kinesis", "owner"),
        ("public.orders", "owner"),
        ("public.order_kinds", "owner"),
    ]
    assert views.apply() == found
    assert views.ahead() == ([], found)
    for statement in re.findall(r"(?:ALTER|DROP) [^;]+", " ; ".join(each.next_step for each in found)):
        views.database.run(statement)
    (made,) = views.ahead()[0]
    assert made == "view public.order_count is over public.orders"
    assert views.apply() == views.differences() == []


def test_a_database_that_is_not_there_yet_gets_everything(views: RedshiftViews) -> None:
    assert views.destination.is_made
    elsewhere = replace(views.destination, workgroup_name="not-made")
    made, differing = replace(views, destination=elsewhere).ahead()
    assert (len(made), differing) == (4, [])
    assert made[1] == "view public.orders reads stream Both.Orders"


def test_a_rebuilt_view_has_what_the_stream_still_has(
    views: RedshiftViews, local_environment: "RunningEnvironment"
) -> None:
    views.apply()
    before = len(views.database.run("SELECT 1 FROM orders"))
    local_environment.put_events("Both.Orders", [b"1"])
    once(views, "SELECT 1 FROM orders", before + 1)
    views.rebuild("orders")
    assert len(once(views, "SELECT sequence_number FROM orders", before + 1)) == before + 1
    with pytest.raises(ViewAbsent, match=r"public\.orders"):
        views.rebuild("order")


def test_nothing_is_made_before_redshift_may_be_the_role(views: RedshiftViews) -> None:
    elsewhere = replace(views.destination, role_arn="arn:aws:iam::000000000000:role/other")
    with pytest.raises(StreamRoleNotAttached, match=r"--iam-roles .*role/firnline-both-redshift .*role/other"):
        replace(views, destination=elsewhere).apply()


def test_a_view_that_could_not_be_made_again_is_not_dropped(views: RedshiftViews) -> None:
    views.apply()
    (view,) = views.destination.views
    adopted = replace(views.destination, views=(replace(view, origin=Origin.ADOPT),))
    unattached = replace(views.destination, role_arn="arn:aws:iam::000000000000:role/other")
    twice = replace(views.destination, views=(view, replace(view, schema="other")))
    with pytest.raises(UsageError, match="is adopted"):
        replace(views, destination=adopted).rebuild("orders")
    with pytest.raises(StreamRoleNotAttached):
        replace(views, destination=unattached).rebuild("orders")
    with pytest.raises(UsageError, match="more than one schema"):
        replace(views, destination=twice).rebuild("orders")
    assert views.differences() == []
    other = replace(view, where=None, origin=Origin.ADOPT)
    (found,) = replace(views, destination=replace(adopted, views=(other,))).differences()
    assert "its owner" in found.next_step
    assert "rebuild" not in found.next_step


def test_a_blocked_view_is_named_with_its_record_and_a_rebuild_frees_it(
    views: RedshiftViews, local_environment: "RunningEnvironment"
) -> None:
    views.apply()
    views.rebuild("orders")
    local_environment.put_events("Both.Orders", [b"no json", b'{"kind": "blocked"}'])
    strict = replace(views.destination.views[0], skips_unreadable=False, auto_refresh=False, dependents=())
    blocked = replace(views, destination=replace(views.destination, views=(strict,)))
    views.database.run("DROP MATERIALIZED VIEW order_count")
    blocked.rebuild("public.orders")
    with pytest.raises(RedshiftStatementFailed, match="not valid JSON"):
        blocked.refresh()
    (found,) = blocked.status()
    assert (found.is_there, found.is_blocked) == (True, True)
    assert re.search(r"not valid JSON.* at \d+ of shardId-", found.blocked_by)
    views.rebuild("orders")
    once(views, "SELECT kind FROM order_kinds WHERE kind = 'blocked'", 1)
    (freed,) = views.status()
    assert (freed.is_blocked, freed.blocked_by, bool(freed.refreshed), freed.scanned > 0) == (False, "", True, True)


RIGHTS = (
    *("redshift-data:ExecuteStatement", "redshift-data:DescribeStatement", "redshift-data:GetStatementResult"),
    *("redshift-serverless:GetCredentials", "redshift-serverless:GetWorkgroup", "redshift-serverless:GetNamespace"),
)
DEPLOYER, KEY = "arn:aws:iam::000000000000:role/deploy-firnline-both", "DEPLOYER-OF-BOTH"


def test_the_deployer_has_each_right_that_statements_take_and_needs_it(
    program: tuple[EnvironmentSpec, ProgramApplication], views: RedshiftViews, local_environment: "RunningEnvironment"
) -> None:
    document = policy_document(deployer_statements(blueprint_of(program[0])))["Statement"]
    theirs = replace(views, aws=partial(client_of, local_environment))

    def look() -> None:
        assert theirs.database.run("SELECT 1 AS one") == [{"one": 1}]
        assert views.destination.role_arn in attached_roles(theirs.database, theirs.aws)[0]

    for right in RIGHTS:
        without = [{**each, "Action": [action for action in each["Action"] if action != right]} for each in document]
        enforce_statements(local_environment, KEY, principal=DEPLOYER, statements=without)
        with pytest.raises(AwsRefused, match=right):
            look()
    enforce_statements(local_environment, KEY, principal=DEPLOYER, statements=document)
    look()


def test_a_deployer_to_whom_a_new_database_gives_nothing_gets_there_by_what_the_errors_say(
    program: tuple[EnvironmentSpec, ProgramApplication], views: RedshiftViews, local_environment: "RunningEnvironment"
) -> None:
    document = policy_document(deployer_statements(blueprint_of(program[0])))["Statement"]
    enforce_statements(local_environment, KEY, principal=DEPLOYER, statements=document)
    (view,), (schema,) = views.destination.views, views.destination.schemas
    their = replace(view, name="theirs", external_schema="their_kinesis", readers=("their_readers",), dependents=())
    wanted = replace(views.destination, views=(their,), schemas=(replace(schema, name="their_kinesis"),))
    theirs = replace(views, destination=wanted, aws=partial(client_of, local_environment))
    refused: list[RedshiftStatementFailed] = []
    while True:
        try:
            assert theirs.apply() == theirs.differences() == []
            break
        except RedshiftStatementFailed as error:
            for each in re.findall(r"(?:GRANT|CREATE ROLE) .+?(?=;|\. Objects)", error.next_step):
                views.database.run(each)
            refused.append(error)
        assert len(refused) < 4
    assert len(refused) == 3  # the database's, a role that is not there, a schema's use that it may not pass on
    assert "permission denied" in str(refused[0])
    assert 'GRANT CREATE ON DATABASE "dev"' in refused[0].next_step
    views.database.run("DROP MATERIALIZED VIEW theirs")
    views.database.run("DROP SCHEMA their_kinesis")


def test_of_what_it_is_not_shown_a_previewer_says_nothing_and_never_that_it_is_gone(
    program: tuple[EnvironmentSpec, ProgramApplication], views: RedshiftViews, local_environment: "RunningEnvironment"
) -> None:
    """Redshift shows a regular user its own views alone (SVV_MV_INFO)."""
    spec = program[0]
    views.apply()
    views.database.run("DROP VIEW order_kinds")
    role = f"arn:aws:iam::000000000000:role/{bootstrap_names(spec).previewer_role}"
    rights = policy_document(previewer_statements(blueprint_of(spec)))["Statement"]
    enforce_statements(local_environment, KEY, principal=role, statements=rights)
    theirs = replace(views, aws=partial(client_of, local_environment))
    found = theirs.differences()
    (unseen,) = [each for each in found if each.verdict is Verdict.UNKNOWN]
    for each in ("schema kinesis", "view public.orders", "view public.order_count", "view public.order_kinds"):
        assert each in unseen.found
    assert "exists" not in [each.path for each in found]
    assert theirs.ahead() == ([], found)
    with pytest.raises(ViewsOutOfSight, match="IAMR:preview-firnline-both is not shown"):
        theirs.status()
    otherwise = replace(views.destination.views[0], where=None)
    differing = replace(theirs, destination=replace(views.destination, views=(otherwise,)))
    assert ("definition", "public.orders") in [(each.path, each.name) for each in differing.differences()]
    (gone,) = views.differences()
    assert (gone.path, gone.name) == ("exists", "view public.order_kinds is over public.orders")


def test_the_deployer_does_not_make_again_what_is_anothers(
    program: tuple[EnvironmentSpec, ProgramApplication], views: RedshiftViews, local_environment: "RunningEnvironment"
) -> None:
    views.apply()
    for each in ("TABLE orders", "TABLE order_kinds", "TABLE order_count", "SCHEMA kinesis"):
        views.database.run(f"ALTER {each} OWNER TO admin")
    document = policy_document(deployer_statements(blueprint_of(program[0])))["Statement"]
    enforce_statements(local_environment, KEY, principal=DEPLOYER, statements=document)
    found = replace(views, aws=partial(client_of, local_environment)).apply()
    assert {each.path for each in found} == {"owner"}
    assert {each.name for each in found} == {"kinesis", "public.orders", "public.order_kinds", "public.order_count"}


def test_the_role_of_the_schedule_may_run_its_statement_and_each_of_its_rights_is_needed(
    views: RedshiftViews, local_environment: "RunningEnvironment"
) -> None:
    views.apply()
    secrets = local_environment.client("secretsmanager")
    owner = views.database.run("SELECT current_user AS name")[0]["name"]
    key = local_environment.client("kms").create_key()["KeyMetadata"]["Arn"]
    login = {"Name": "both-owner", "SecretString": f'{{"username": "{owner}"}}', "KmsKeyId": key}
    secret = secrets.create_secret(**login)["ARN"]
    said = BOTH.replace("      name: orders\n", "      name: orders\n      refresh_every_minutes: 15\n")
    said = said.replace("  case_sensitive:", f"  secret_arn: {secret}\n  secret_key_arn: {key}\n  case_sensitive:")
    blueprint = blueprint_of(parse_spec(said, "both"))
    (schedule,), name = SCHEDULE.instances(blueprint), blueprint.names.redshift_refresh_role
    policies = (each.arguments for each in ROLE_POLICY.instances(blueprint))
    (given,) = (each["policy"] for each in policies if own_name(each["role"].resource) == name)
    document, role = policy_document(given.statements), f"arn:aws:iam::000000000000:role/{name}"
    refresh = json.loads(schedule.arguments["target"]["input"])
    scheduler = client_of(local_environment, "redshift-data")
    try:
        for taken in ("redshift-data:ExecuteStatement", "secretsmanager:GetSecretValue"):
            without = [{**each, "Action": [a for a in each["Action"] if a != taken]} for each in document["Statement"]]
            enforce_statements(local_environment, KEY, principal=role, statements=without)
            with pytest.raises(ClientError, match=taken):
                scheduler.execute_statement(**refresh)
        theirs = client_of(local_environment, "secretsmanager")  # what the Data API asks for in the caller's name
        without = [each for each in document["Statement"] if each["Action"] != ["kms:Decrypt"]]
        enforce_statements(local_environment, KEY, principal=role, statements=without)
        with pytest.raises(ClientError, match="kms:Decrypt"):
            theirs.get_secret_value(SecretId=secret)
        enforce_statements(local_environment, KEY, principal=role, statements=document["Statement"])
        assert owner in theirs.get_secret_value(SecretId=secret)["SecretString"]
        refreshed = scheduler.execute_statement(**refresh)["Id"]
    finally:
        secrets.delete_secret(SecretId=secret, ForceDeleteWithoutRecovery=True)
    assert refreshed
    (status,) = views.status()
    assert (status.is_good, bool(status.refreshed)) == (True, True)


def client_of(environment: "RunningEnvironment", service: str) -> Any:
    factory: Any = boto3.client
    return factory(
        service,
        region_name="us-east-1",
        endpoint_url=environment.endpoints.of_service(service),
        aws_access_key_id=KEY,
        aws_secret_access_key="secret",
    )
