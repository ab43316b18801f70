from collections.abc import Callable
from pathlib import Path

import pytest

from firnline_infra.spec import EnvironmentSpec, load_spec, parse_spec
from firnline_ingest.errors import ConfigError

ENVIRONMENTS = Path(__file__).parents[3] / "stacks" / "environments"


@pytest.mark.parametrize("path", sorted(ENVIRONMENTS.glob("*.yaml")), ids=lambda path: path.name)
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


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml has 1 problem(.|\n)*No such file"):
        load_spec(tmp_path / "none.yaml")


def test_text_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("name: é".encode("latin-1"))
    with pytest.raises(ConfigError, match="is not UTF-8"):
        load_spec(tmp_path / "latin.yaml")


def test_what_is_not_yaml_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigError, match=r"is not YAML: .* line 2"):
        parse_spec("a: [1,\nb: {", "dev.yaml")


def test_a_key_that_is_given_twice_is_refused_with_its_line() -> None:
    with pytest.raises(ConfigError, match=r"'name' is given twice .* line 3"):
        parse_spec("version: 1\nname: dev\nname: prod\n", "dev.yaml")


@pytest.mark.parametrize("text", ["", "[]", "dev"])
def test_a_document_that_is_no_mapping_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="the document"):
        parse_spec(text, "dev.yaml")


def test_an_unhashable_key_is_refused() -> None:
    with pytest.raises(ConfigError, match="unhashable"):
        parse_spec("? [1]\n: 2\n", "dev.yaml")
