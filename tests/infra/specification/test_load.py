import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.specification import aws, load_spec, model, parse_spec, snowflake
from firnline_infra.specification.document import read_yaml
from firnline_infra.specification.keys_file import is_keys_file
from firnline_ingest.config.form import Form
from firnline_ingest.errors import ConfigError
from tests.infra.specifications import document, pipeline, problems, smallest, told

ENVIRONMENTS = Path(__file__).parents[3] / "stacks" / "environments"
RICH = Path(__file__).parents[1] / "blueprint" / "rich.yaml"


@pytest.mark.parametrize(
    "path",
    sorted(path for path in ENVIRONMENTS.glob("*.yaml") if not is_keys_file(path)),
    ids=lambda path: path.name,
)
def test_every_environment_of_the_repository_is_valid(path: Path) -> None:
    assert load_spec(path).name == path.stem


def test_the_smallest_document_is_an_environment() -> None:
    assert smallest().streams[0].retention_hours == 24


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
    pipelines = [pipeline("order"), pipeline("clicks", table="T"), pipeline("clicks", table="T", database="my lake")]
    assert problems(
        snowflake={"reder": {}},
        streams=[{"name": "orders", "shards": 0}, {"name": "clicks"}, {"name": "no name"}],
        pipelines=pipelines,
        tags={"aws:owner": "me"},
    ) == told(
        *("snowflake.reder:…", "streams[0].shards:…", "streams[2].name:…", "pipelines[2].database:…"),
        *("pipelines[0].stream:…", "pipelines[2].stream:…", "tags.aws:…"),
    )


def test_a_wrong_item_of_a_list_hides_no_other_problem() -> None:
    networks = ["300.0.0.0/8", "10.0.0.0/8", "nowhere"]
    assert problems(
        snowflake={"allowed_networks": networks, "interactive_warehouse": {"name": "FAST"}},
        streams=[{"name": "orders"}, {"name": "orders"}],
        pipelines=[pipeline("order"), pipeline("orders", table_kind="interactive")],
    ) == told(
        *("snowflake.allowed_networks[0]:…", "snowflake.allowed_networks[2]:…", "pipelines[1]:…"),
        *("streams[1].name:…", "pipelines[0].stream:…"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "^the document: is empty"),
        ("- 1", "^the document: must be a mapping of names to values, such as {"),
        ("dev", "^the document: "),
        ("version: 2", r"^version: input should be 1, which is the only one there is \(got 2\)"),
        ("aws:\n\tregion: eu-central-1\n", "indent with spaces, not tabs"),
        ("version: 1\nname: dev\nname: prod\n", r"'name' is given twice .* line 3"),
        ("? [1]\n: 2\n", "unhashable"),
        ("a: [1,\nb: {", r"is not YAML: (?!.*<unicode string>).* at line \d"),
    ],
    ids=["empty", "a list", "a word", "another version", "a tab", "a key twice", "a key of lists", "no YAML"],
)
def test_what_is_no_specification_at_all_is_said_plainly(text: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec(text, "dev.yaml")
    assert re.search(expected, "\n".join(caught.value.problems), re.DOTALL | re.MULTILINE)


def test_a_number_where_text_belongs_is_told_to_be_quoted() -> None:
    found = problems(aws={"account": 142424242424})
    assert found == told("aws.account: input should be a valid string; put it between quotes…")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (
            {"alarms": {"notify": [{"email": "on-call@example.com"}]}},
            "alarms.notify[0]: must be an e-mail address, or an https:// URL, for example on-call@example.com",
        ),
        (
            {"snowflake": {"allowed_networks": [], "host": ["a"]}},
            "snowflake.host: must be …, for example …",
        ),
        (
            {"streams": [{"name": None}]},
            "streams[0].name: must be 1 to 128 letters, digits and _ . -, for example orders (got null)",
        ),
        (
            {"network": {"endpoints": {"s3": {"url": "https://a"}}}},
            "network.endpoints.s3: must be …, for example https://…",
        ),
    ],
    ids=["a list's item", "a list for a text", "null", "a value of a mapping"],
)
def test_what_is_no_text_is_told_what_the_text_must_be(document: dict[str, Any], expected: str) -> None:
    assert told(expected)[0] in problems(**document)


def test_a_stand_in_for_what_is_wrong_is_never_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_spec("version: 3\nstreams: [{}]\npipelines: [{}, {stream: a, database: D, schema: S}]\n", "dev.yaml")
    assert "stand-in" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"FL-1005\] There is no .*none\.yaml\."):
        load_spec(tmp_path / "none.yaml")


def test_text_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("name: é".encode("latin-1"))
    with pytest.raises(ConfigError, match="is not UTF-8"):
        load_spec(tmp_path / "latin.yaml")


@pytest.mark.parametrize("text", ["off", "NO", "yes", "On", "12:30", "12:30:00.5", "01067", "042424242424", "+0100"])
def test_what_yaml_once_took_for_something_else_is_text(text: str) -> None:
    assert read_yaml(f"[{text}, {text}: {text}]", "dev.yaml") == [text, {text: text}]


@pytest.mark.parametrize(("text", "value"), [("True", True), ("false", False), ("0", 0), ("10", 10), ("010.5", 10.5)])
def test_a_word_that_every_yaml_reads_alike_is_what_it_says(text: str, value: object) -> None:
    found = read_yaml(text, "dev.yaml")
    assert (type(found), found) == (type(value), value)


def test_aggregation_is_switched_off_as_its_page_says() -> None:
    text = yaml.safe_dump(document()).replace("stream: orders", "stream: orders\n  aggregation: off")
    assert parse_spec(text, "dev.yaml").pipelines[0].aggregation == "off"


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


def test_what_is_compared_with_a_wrong_value_is_no_problem_of_its_own() -> None:
    aws = {"permissions_boundary": "arn:aws:iam::123456789012:policy/boundary", "account": 123456789012}
    assert problems(aws=aws) == told("aws.account:…")


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
    rich = yaml.safe_load(RICH.read_text())
    *way, last = path.split(".")
    place = rich
    for part in way:
        place = place[int(part) if part.isdigit() else part]
    place[last] = wrong
    with pytest.raises(ConfigError) as caught:
        parse_spec(yaml.safe_dump(rich), "dev.yaml")
    written = re.sub(r"\.(\d+)", r"[\1]", path)
    assert [problem for problem in caught.value.problems if not problem.startswith(written)] == []
