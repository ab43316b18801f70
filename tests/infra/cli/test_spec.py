import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firnline_infra.cli.main import firnline

GOOD = """
version: 1
name: dev
aws: {region: eu-central-1, account: "123456789012"}
snowflake: {account: ORG-ACCOUNT}
streams: [{name: orders}, {name: clicks}]
pipelines: [{stream: orders, database: LAKE, schema: RAW}]
"""
Run = Callable[..., Result]


def of_another_team(text: str) -> str:
    """Other streams, and another database: nothing of them is made twice."""
    for theirs, ours in (("orders", "baskets"), ("clicks", "visits"), ("LAKE", "POND")):
        text = text.replace(theirs, ours)
    return text


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(firnline, ["spec", *arguments])


def test_a_good_specification_is_told_in_a_line(run: Run) -> None:
    Path("dev.yaml").write_text(GOOD)
    result = run("check", "dev.yaml")
    assert result.exit_code == 0
    assert result.output == "dev.yaml: good. Environment dev, PROTECTED, 2 streams, 1 pipeline.\n"


def test_whole_records_and_their_metadata_are_told_with_what_they_cost(run: Run) -> None:
    Path("dev.yaml").write_text(GOOD.replace("schema: RAW", "schema: RAW, content_column: C"))
    [_, said] = run("check", "dev.yaml").output.splitlines()
    assert re.search(r"pipelines\[0\]\.content_column: .* Their metadata adds up to \d{3} bytes to each row", said)
    Path("dev.yaml").write_text(GOOD.replace("RAW", "RAW, content_column: C, metadata: {form: none}, audit: false"))
    assert "metadata" not in run("check", "dev.yaml").output


def test_every_file_is_checked_and_one_that_is_wrong_decides(run: Run) -> None:
    Path("dev.yaml").write_text(GOOD)
    Path("bad.yaml").write_text(GOOD.replace("orders, database", "order, database").replace("dev", "Dev"))
    result = run("check", "bad.yaml", "none.yaml", "dev.yaml")
    assert result.exit_code == 2
    assert result.stdout == "dev.yaml: good. Environment dev, PROTECTED, 2 streams, 1 pipeline.\n"
    assert "bad.yaml has 2 problems" in result.stderr
    assert "There is no none.yaml" in result.stderr


def test_an_environment_is_checked_by_its_name(run: Run) -> None:
    folder = Path("stacks", "environments")
    folder.mkdir(parents=True)
    (folder / "dev.yaml").write_text(GOOD)
    assert run("check", "dev").stdout.startswith("stacks/environments/dev.yaml: good.")
    result = run("check", "dve", "dev")
    assert (result.exit_code, "did you mean 'dev'?" in result.stderr) == (2, True)
    assert result.stdout.startswith("stacks/environments/dev.yaml: good.")


def test_keys_are_checked_with_their_specification(run: Run) -> None:
    Path("dev.yaml").write_text(GOOD)
    Path("dev.keys.yaml").write_text("ingets: {}\n")
    result = run("check", "dev.keys.yaml", "dev.yaml")
    assert result.exit_code == 2
    assert "dev.keys.yaml: ingets: unknown name; did you mean 'ingest'?" in result.stderr


def test_no_file_is_no_success(run: Run) -> None:
    assert run("check").exit_code == 2


def test_schema_and_reference_are_printed_whole(run: Run) -> None:
    assert json.loads(run("schema").stdout)["$schema"].startswith("https://json-schema.org/")
    assert run("reference").stdout.startswith("# The specification of an environment\n")


def test_what_only_the_blueprint_can_tell_is_told_too(run: Run) -> None:
    aws = 'aws: {region: eu-central-1, account: "123456789012"'
    static = GOOD.replace(aws, f"{aws}, runtime: {{trust: static-keys}}")
    names = [f"orders-{number}" for number in range(40)]
    streams = f"streams: [{', '.join(f'{{name: {name}}}' for name in names)}]"
    pipelines = f"pipelines: [{', '.join(f'{{stream: {name}, database: LAKE, schema: RAW}}' for name in names)}]"
    Path("two.yaml").write_text(static)
    Path("forty.yaml").write_text("\n".join([*static.splitlines()[:5], streams, pipelines]))
    result = run("check", "two.yaml", "forty.yaml")
    assert result.exit_code == 2
    assert result.stdout.startswith("two.yaml: good.")
    assert "the policy of the user firnline-dev-engine" in result.stderr
    assert "fewer streams" in result.stderr


def test_a_volume_and_an_environment_whose_buckets_would_be_one_are_refused(run: Run) -> None:
    volume = GOOD.replace("ORG-ACCOUNT", "ORG-ACCOUNT, external_volumes: [{name: EU}]")
    Path("dev.yaml").write_text(volume)
    Path("dev-eu.yaml").write_text(of_another_team(GOOD).replace("name: dev", "name: dev-eu"))
    bucket = "firnline-dev-eu-123456789012-eu-central-1"
    result = run("check", "dev.yaml", "dev-eu.yaml")
    assert result.exit_code == 2
    assert f"snowflake.external_volumes[0].bucket: bucket {bucket} is made by dev-eu.yaml too (name)" in result.stderr
    assert f"name: bucket {bucket} is made by dev.yaml too (snowflake.external_volumes[0].bucket)" in result.stderr
    Path("dev.yaml").write_text(volume.replace("name: EU", "name: EU, bucket: dev-volume-eu"))
    assert run("check", "dev.yaml", "dev-eu.yaml").exit_code == 0


def test_two_environments_whose_alarms_would_be_one_are_refused(run: Run) -> None:
    """CloudWatch makes no second one: each `up` would write over the other's."""
    topics = 'alarms: {topics: ["arn:aws:sns:eu-central-1:123456789012:x"]}\n'
    Path("dev.yaml").write_text(
        GOOD.replace("name: orders", "name: eu-orders").replace("stream: ", "stream: eu-") + topics
    )
    Path("dev-eu.yaml").write_text(
        GOOD.replace("name: dev", "name: dev-eu").replace("LAKE", "POND").replace("clicks", "visits") + topics
    )
    result = run("check", "dev.yaml")
    assert result.exit_code == 2
    assert (
        "streams[0].name: alarms firnline-dev-eu-orders-… is made by dev-eu.yaml too (streams[0].name)" in result.stderr
    )
    Path("dev-eu.yaml").write_text(
        GOOD.replace("name: dev", "name: dev-eu").replace("LAKE", "POND").replace("clicks", "visits")
    )
    assert run("check", "dev.yaml").exit_code == 0


def test_two_environments_of_one_application_in_one_account_are_refused(run: Run) -> None:
    """In accounts of their own they may be."""
    Path("dev.yaml").write_text(GOOD + "application: shop\n")
    Path("test.yaml").write_text(of_another_team(GOOD).replace("name: dev", "name: test") + "application: shop\n")
    result = run("check", "dev.yaml")
    assert result.exit_code == 2
    assert "application: application shop is made by test.yaml too" in result.stderr
    Path("test.yaml").write_text(Path("test.yaml").read_text().replace("123456789012", "210987654321"))
    assert run("check", "dev.yaml").exit_code == 0


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ("eu-central-1", "eu-west-1", "role deploy-firnline-dev is made by dev.yaml too"),
        ("123456789012", "210987654321", "role of Snowflake FIRNLINE_DEV_DEPLOY is made by dev.yaml too"),
    ],
    ids=["another region", "another account"],
)
def test_a_copy_for_another_place_is_another_environment(run: Run, old: str, new: str, refused: str) -> None:
    Path("dev.yaml").write_text(GOOD)
    Path("copy.yaml").write_text(GOOD.replace(old, new))
    result = run("check", "copy.yaml")
    assert result.exit_code == 2
    assert refused in result.stderr
    Path("copy.yaml").write_text(GOOD.replace("123456789012", "210987654321").replace("ORG-ACCOUNT", "ORG-OTHER"))
    assert run("check", "copy.yaml").exit_code == 0


def test_an_engine_does_not_run_as_another_environments_deployer(run: Run) -> None:
    aws = 'aws: {region: eu-central-1, account: "123456789012"'
    for name in ("deploy-firnline-prod", "preview-firnline-prod"):
        Path("dev.yaml").write_text(GOOD.replace(aws, f"{aws}, runtime: {{role: {name}}}"))
        result = run("check", "dev.yaml")
        assert (result.exit_code, f"aws.runtime.role: {name} is a role of CI" in result.stderr) == (2, True)
    Path("dev.yaml").write_text(GOOD.replace(aws, f"{aws}, runtime: {{role: team-engine}}"))
    assert run("check", "dev.yaml").exit_code == 0


def test_a_copy_that_kept_its_name_is_said_to_be_the_same_environment(run: Run) -> None:
    Path("dev.yaml").write_text(GOOD)
    assert "too" not in run("check", "dev.yaml").stdout
    Path("prod.yaml").write_text(GOOD)
    result = run("check", "prod.yaml")
    assert result.exit_code == 0
    assert "dev.yaml is environment dev too: if they are to be two, give one of them another name." in result.stdout


def test_two_environments_that_make_the_same_things_are_refused(run: Run) -> None:
    """`up` would find them one by one, and in the second environment (FL-6133)."""
    Path("dev.yaml").write_text(GOOD)
    Path("other").mkdir()
    Path("other", "test.yaml").write_text(GOOD.replace("name: dev", "name: test") + "ledger: {table: firnline-dev}\n")
    assert run("check", "dev.yaml").exit_code == 0
    result = run("check", "dev.yaml", "other/test.yaml")
    assert result.exit_code == 2
    for said in (
        "streams[0].name: stream orders is made by other/test.yaml too (streams[0].name); give one of them another name, or say",
        "streams[1].name: stream clicks is made by",
        "pipelines[0].database: database of Snowflake LAKE is made by",
        "pipelines[0].table: table of Snowflake LAKE.RAW.ORDERS is made by",
        "name: DynamoDB table firnline-dev is made by other/test.yaml too (ledger.table); give one of them another name.",
        "ledger.table: DynamoDB table firnline-dev is made by dev.yaml too (name)",
    ):
        assert said in result.stderr


CHOOSING = {
    "transforms: [{type: exclude, fields: [a]}]": True,
    "transforms: [{type: filter, field: a, one_of: [1]}]": False,
    "pipe: {name: EU, origin: adopt, rows: some}": False,
    'query: {schema: a INT, sql: "SELECT _position, a FROM rows WHERE a > 1"}': False,
}
"""To whether each record of a stream is there twice, where another environment reads all of it into the same table."""


def test_two_environments_that_read_one_stream_into_one_table_are_refused(run: Run) -> None:
    """Both may adopt all of it, and neither would find the other's rows."""
    Path("dev.yaml").write_text(GOOD)
    adopting = GOOD.replace("name: dev", "name: test").replace("{name: orders}", "{name: orders, origin: adopt}")
    adopting = adopting.replace("{name: clicks}", "{name: clicks, origin: adopt}")
    database = "{name: LAKE, origin: adopt, schemas: [{name: RAW, origin: adopt}]}"
    adopting = adopting.replace("ORG-ACCOUNT", f"org-account, databases: [{database}]")
    adopting = adopting.replace("schema: RAW}", "schema: RAW, table_origin: adopt}")
    Path("test.yaml").write_text(adopting)
    result = run("check", "test.yaml")
    assert result.exit_code == 2
    arn = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders"
    assert f"pipelines[0]: dev.yaml reads {arn} into LAKE.RAW.ORDERS too (pipelines[0])" in result.stderr
    for more, twice in CHOOSING.items():
        Path("test.yaml").write_text(adopting.replace("table_origin: adopt}", f"table_origin: adopt, {more}}}"))
        said = run("check", "test.yaml").stderr
        assert said.count("reads arn:") == twice, said
    both = "transforms: [{type: filter, field: a, one_of: [1]}]"
    Path("dev.yaml").write_text(GOOD.replace("schema: RAW}", f"schema: RAW, {both}}}"))
    Path("test.yaml").write_text(adopting.replace("table_origin: adopt}", f"table_origin: adopt, {both}}}"))
    assert "reads arn:" in run("check", "test.yaml").stderr


def test_what_one_of_two_environments_adopts_is_both_of_theirs(run: Run) -> None:
    Path("dev.yaml").write_text(GOOD)
    adopting = GOOD.replace("name: dev", "name: test").replace("{name: orders}", "{name: orders, origin: adopt}")
    adopting = adopting.replace("{name: clicks}", "{name: clicks, origin: adopt}").replace(
        "RAW}", "RAW, table: TESTED}"
    )
    database = "{name: LAKE, origin: adopt, schemas: [{name: RAW, origin: adopt}]}"
    Path("test.yaml").write_text(adopting.replace("ORG-ACCOUNT", f"ORG-ACCOUNT, databases: [{database}]"))
    result = run("check", "dev.yaml", "test.yaml")
    assert result.exit_code == 0, result.stderr


def test_two_environments_with_one_view_in_a_workgroup_that_both_adopt_are_refused(run: Run) -> None:
    arn = "arn:aws:redshift-serverless:eu-central-1:123456789012:workgroup/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f"
    workgroup = f"{{origin: adopt, name: analytics, arn: '{arn}'}}"
    redshift = f"redshift: {{workgroup: {workgroup}, views: [{{stream: STREAM, name: v}}]}}\n"
    Path("dev.yaml").write_text(GOOD + redshift.replace("STREAM", "orders"))
    theirs = of_another_team(GOOD).replace("name: dev", "name: test")
    Path("test.yaml").write_text(theirs + redshift.replace("STREAM", "baskets"))
    result = run("check", "dev.yaml")
    assert "redshift.views[0].name: view of Redshift public.v is made by test.yaml too" in result.stderr
    Path("test.yaml").write_text(Path("test.yaml").read_text().replace("name: v", "name: w"))
    assert run("check", "dev.yaml").exit_code == 0
