import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.specification import EnvironmentSpec, aws, load_spec, model, parse_spec, snowflake
from firnline_infra.specification.document import read_yaml
from firnline_infra.specification.keys_file import is_keys_file
from firnline_ingest.config.form import Form
from firnline_ingest.errors import ConfigError

ENVIRONMENTS = Path(__file__).parents[3] / "stacks" / "environments"
RICH = Path(__file__).parents[1] / "blueprint" / "rich.yaml"


@pytest.mark.parametrize(
    "path",
    sorted(path for path in ENVIRONMENTS.glob("*.yaml") if not is_keys_file(path)),
    ids=lambda path: path.name,
)
def test_every_environment_of_the_repository_is_valid(path: Path) -> None:
    assert load_spec(path).name == path.stem


def test_the_smallest_document_is_an_environment(spec: Callable[..., EnvironmentSpec]) -> None:
    assert spec().streams[0].retention_hours == 24


def test_all_problems_are_told_at_once_each_with_its_path() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(
            """
            version: 2
            name: Dev
            aws: {region: europe, account: 123456789012}
            snowflake: {acount: ORG-ACCOUNT}
            streams: [{name: orders, shards: 0, retention_hours: 12}]
            pipelines: [{stream: orders, database: my lake, schema: RAW, tolerance: some}]
            """,
            "dev.yaml",
        )
    problems = "\n".join(caught.value.problems)
    for path in (
        "version:",
        "name:",
        "aws.region:",
        "aws.account:",
        "snowflake.account: is required",
        "snowflake.acount: unknown name; did you mean 'account'?",
        "streams[0].shards:",
        "streams[0].retention_hours:",
        "pipelines[0].database:",
        "pipelines[0].tolerance:",
    ):
        assert path in problems
    assert len(caught.value.problems) == 10


def test_mistakes_of_fields_and_between_fields_are_told_together() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(
            """
            version: 1
            name: dev
            aws: {region: eu-central-1, account: "123456789012"}
            snowflake: {account: ORG-ACCOUNT, reder: {}}
            streams: [{name: orders, shards: 0}, {name: clicks}, {name: "no name"}]
            pipelines:
              - {stream: order, database: LAKE, schema: RAW}
              - {stream: clicks, database: LAKE, schema: RAW, table: T}
              - {stream: clicks, database: my lake, schema: RAW, table: T}
            tags: {"aws:owner": me}
            """,
            "dev.yaml",
        )
    assert [problem.partition(":")[0] for problem in caught.value.problems] == [
        "snowflake.reder",
        "streams[0].shards",
        "streams[2].name",
        "pipelines[2].database",
        "pipelines[0].stream",
        "pipelines[2].stream",
        "tags.aws",
    ]


def test_a_wrong_item_of_a_list_hides_no_other_problem() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(
            """
            version: 1
            name: dev
            aws: {region: eu-central-1, account: "123456789012"}
            snowflake:
              account: ORG-ACCOUNT
              allowed_networks: [300.0.0.0/8, 10.0.0.0/8, nowhere]
              interactive_warehouse: {name: FAST}
            streams: [{name: orders}, {name: orders}]
            pipelines:
              - {stream: order, database: LAKE, schema: RAW}
              - {stream: orders, database: LAKE, schema: RAW, table_kind: interactive}
            """,
            "dev.yaml",
        )
    assert [problem.partition(":")[0] for problem in caught.value.problems] == [
        "snowflake.allowed_networks[0]",
        "snowflake.allowed_networks[2]",
        "pipelines[1]",
        "streams[1].name",
        "pipelines[0].stream",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "the document: is empty"), ("- 1", "the document: is no mapping of names to values, such as {")],
)
def test_what_is_no_specification_at_all_is_said_plainly(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(text, "dev.yaml")
    (only,) = caught.value.problems
    assert only.startswith(problem)


def test_another_version_is_answered_with_the_one_there_is() -> None:
    with pytest.raises(ConfigError, match=r"version: input should be 1, which is the only one there is \(got 2\)"):
        parse_spec("version: 2", "dev.yaml")


def test_a_number_where_text_belongs_is_told_to_be_quoted() -> None:
    with pytest.raises(ConfigError, match=r"aws\.account: input should be a valid string; put it between quotes"):
        parse_spec(
            """
            version: 1
            name: dev
            aws: {region: eu-central-1, account: 142424242424}
            snowflake: {account: ORG-ACCOUNT}
            streams: [{name: orders}]
            pipelines: [{stream: orders, database: LAKE, schema: RAW}]
            """,
            "dev.yaml",
        )


def test_a_stand_in_for_what_is_wrong_is_never_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec("version: 3\nstreams: [{}]\npipelines: [{}, {stream: a, database: D, schema: S}]\n", "dev.yaml")
    assert "stand-in" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml has 1 problem(.|\n)*No such file"):
        load_spec(tmp_path / "none.yaml")


def test_text_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("name: é".encode("latin-1"))
    with pytest.raises(ConfigError, match="is not UTF-8"):
        load_spec(tmp_path / "latin.yaml")


def test_what_is_not_yaml_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigError, match=r"is not YAML: .* at line \d") as caught:
        parse_spec("a: [1,\nb: {", "dev.yaml")
    assert "<unicode string>" not in str(caught.value)


def test_a_tab_is_said_to_be_no_indentation() -> None:
    with pytest.raises(ConfigError, match="indent with spaces, not tabs"):
        parse_spec("aws:\n\tregion: eu-central-1\n", "dev.yaml")


def test_a_key_that_is_given_twice_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigError, match=r"'name' is given twice .* line 3"):
        parse_spec("version: 1\nname: dev\nname: prod\n", "dev.yaml")


@pytest.mark.parametrize("text", ["", "[]", "dev"])
def test_a_document_that_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="the document"):
        parse_spec(text, "dev.yaml")


@pytest.mark.parametrize("text", ["off", "NO", "yes", "On", "12:30", "12:30:00.5", "01067", "042424242424", "+0100"])
def test_what_yaml_once_took_for_something_else_is_text(text: str) -> None:
    assert read_yaml(f"[{text}, {text}: {text}]", "dev.yaml") == [text, {text: text}]


@pytest.mark.parametrize(("text", "value"), [("True", True), ("false", False), ("0", 0), ("10", 10), ("010.5", 10.5)])
def test_a_word_that_every_yaml_reads_alike_is_what_it_says(text: str, value: object) -> None:
    found = read_yaml(text, "dev.yaml")
    assert (type(found), found) == (type(value), value)


def test_aggregation_is_switched_off_as_its_page_says(minimal: dict[str, Any]) -> None:
    text = yaml.safe_dump(minimal).replace("stream: orders", "stream: orders\n  aggregation: off")
    assert parse_spec(text, "dev.yaml").pipelines[0].aggregation == "off"


def test_an_unhashable_key_is_refused() -> None:
    with pytest.raises(ConfigError, match="unhashable"):
        parse_spec("? [1]\n: 2\n", "dev.yaml")


FORMS = [each for module in (aws, model, snowflake) for each in vars(module).values() if isinstance(each, Form)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.example)
def test_the_example_of_a_form_has_it(form: Form) -> None:
    assert form.check(form.example) == form.example


def test_no_error_asks_a_person_to_read_a_regular_expression() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(
            """
            version: 1
            name: Dev
            application: a b
            aws: {region: europe, account: "123", key: {origin: adopt, arn: k}, bucket: {name: B}, permissions_boundary: p,
                  runtime: {trust: irsa, oidc_provider: "https://x", namespace: N, service_account: S, role: "a b"}}
            snowflake: {account: "a b", ingest: {secret_arn: x}, external_volumes: [{name: V, prefix: t}],
                        interactive_warehouse: {name: W, size: HUGE}}
            streams: [{name: "a b", consumers: ["c d"]}]
            pipelines: [{stream: orders, database: LAKE, schema: RAW}]
            ledger: {table: t}
            alarms: {topics: [t]}
            publication: {ssm_prefix: firnline}
            """,
            "dev.yaml",
        )
    told = [problem for problem in caught.value.problems if ": has to be " in problem]
    assert len(told) == 19
    assert not any(sign in problem for problem in caught.value.problems for sign in ("[a-z", "\\d", "pattern"))
    assert "aws.account: has to be twelve digits, for example 123456789012 (got '123')" in told
    assert any("'X-SMALL'" in problem for problem in caught.value.problems)


def test_what_is_compared_with_a_wrong_value_is_no_problem_of_its_own(minimal: dict[str, Any]) -> None:
    minimal["aws"] = minimal["aws"] | {
        "permissions_boundary": "arn:aws:iam::123456789012:policy/boundary",
        "account": 123456789012,
    }
    with pytest.raises(ConfigError) as caught:
        parse_spec(yaml.safe_dump(minimal), "dev.yaml")
    assert [problem.partition(":")[0] for problem in caught.value.problems] == ["aws.account"]


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("pipelines.1.columns", "none"),
        ("streams.0.consumers", {"fraud": True}),
        ("redshift.secret_arn", "no arn"),
        ("snowflake.external_volumes", -7),
        ("snowflake.databases.0.origin", "ours"),
        ("streams.2.role_arn", "no arn"),
        ("streams.2.arn", "no arn"),
    ],
)
def test_what_follows_from_the_absence_of_a_wrong_value_is_no_problem(path: str, wrong: object) -> None:
    document = yaml.safe_load(RICH.read_text())
    *way, last = path.split(".")
    place = document
    for part in way:
        place = place[int(part) if part.isdigit() else part]
    place[last] = wrong
    with pytest.raises(ConfigError) as caught:
        parse_spec(yaml.safe_dump(document), "dev.yaml")
    written = re.sub(r"\.(\d+)", r"[\1]", path)
    assert [problem for problem in caught.value.problems if not problem.startswith(written)] == []
