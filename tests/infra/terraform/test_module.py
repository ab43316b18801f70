"""The modules of prod, and of an environment with what prod lacks, are golden: a changed file is reviewed for what
`terraform apply` would do with it.

FIRNLINE_WRITE_GOLDEN=1 writes it anew. Pulumi makes the same of each environment (tests/infra/pulumi/test_beside_terraform.py).
"""

import json
import os
import re
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds.redshift import CLUSTER
from firnline_infra.kinds.resource import Resource
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.terraform import differing, module_files, write_module
from firnline_infra.terraform.expressions import label
from tests.infra.specifications import changed

ENVIRONMENTS = Path(__file__).parents[3] / "stacks" / "environments"
GOLDEN = Path(__file__).parent / "golden"


def spec_of(name: str, **changes: Any) -> EnvironmentSpec:
    spec = load_spec(ENVIRONMENTS / f"{name}.yaml")
    document = spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return EnvironmentSpec.model_validate({**document, **changes}, strict=None)


def document(spec: EnvironmentSpec, name: str) -> Any:
    return json.loads(module_files(spec)[f"{name}.tf.json"])


@pytest.mark.parametrize(
    "file", [ENVIRONMENTS / "prod.yaml", Path(__file__).parent / "wide.yaml"], ids=attrgetter("stem")
)
def test_an_environment_is_the_reviewed_module(file: Path) -> None:
    spec, golden = load_spec(file), GOLDEN / file.stem
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        write_module(spec, golden)
        pytest.fail(f"{file.stem} was written: review it, and run the test again")
    assert differing(spec, golden) == []


def test_what_would_be_another_text_is_found_and_written_and_what_is_not_wanted_goes(tmp_path: Path) -> None:
    spec = spec_of("dev")
    (tmp_path / "imports.tf.json").write_text("{}")
    (tmp_path / "mine.tf").write_text("# of somebody else")
    assert differing(spec, tmp_path) == [
        *(f"{name}.tf.json" for name in ("versions", "providers", "imports", "main", "outputs")),
        ".checkov.yaml",
    ]
    write_module(spec, tmp_path)
    assert differing(spec, tmp_path) == []
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        *(".checkov.yaml", "main.tf.json", "mine.tf", "outputs.tf.json", "providers.tf.json", "versions.tf.json")
    ]


def test_a_text_that_looks_like_a_template_is_escaped() -> None:
    spec = spec_of("dev", tags={"note": "${var.x} %{if true}"})
    tags = document(spec, "main")["resource"]["aws_kinesis_stream"]["stream-orders-stream"]["tags"]
    assert tags["note"] == "$${var.x} %%{if true}"


def labels(type_: str, *names: str) -> list[str]:
    return [label(Resource(type_, name, {})) for name in names]


def test_a_default_is_no_template() -> None:
    """Terraform takes what a `variable` block says literally (its "JSON Configuration Syntax"): an escape would stay in it."""
    document_of = spec_of("dev").model_dump(mode="json", by_alias=True, exclude_unset=True)
    spec = spec_of("dev", snowflake={**document_of["snowflake"], "deploy_role": '"D${x}"'})
    assert document(spec, "providers")["variable"]["snowflake_role"]["default"] == '"D${x}"'


def test_a_label_is_what_terraform_takes_and_two_names_stay_two() -> None:
    assert labels("snowflake_table", "landing-table-A.B_1.C") == ["landing-table-A-B_1-C"]
    odd = labels("snowflake_table", 't-A."b c"', 't-A."b-c"', 't-A."b.c"', "t-A.b-c", "t-A.é", "t-A.è")
    odd += labels("aws_kinesis_stream", "stream-a.b", "stream-a-b", "stream-a_b")
    assert len(set(odd)) == len(odd)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", each) for each in odd)


def test_an_address_is_of_its_object_alone_so_that_nothing_is_ever_moved() -> None:
    """Neither the order in a specification nor what stands beside an object is in its address: no `moved` block is needed."""

    def made(**changes: Any) -> dict[str, Any]:
        blocks = document(spec_of("prod", **changes), "main")["resource"]
        return {f"{type_}.{name}": each for type_, all_ in blocks.items() for name, each in all_.items()}

    written = spec_of("prod").model_dump(mode="json", by_alias=True, exclude_unset=True)
    streams, pipelines, before = written["streams"], written["pipelines"], made()
    assert made(streams=streams[::-1], pipelines=pipelines[::-1]).keys() == before.keys()
    new = {"stream": "new", "database": pipelines[0]["database"], "schema": pipelines[0]["schema"], "table": "FIRST"}
    more = made(streams=[{"name": "new", "shards": 1}, *streams], pipelines=[new, *pipelines])
    assert more.keys() > before.keys()
    assert more["aws_kinesis_stream.stream-orders-stream"] == before["aws_kinesis_stream.stream-orders-stream"]


def test_a_secret_that_exists_is_imported() -> None:
    arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:firnline-dev/snowflake/ingest-AbCdEf"
    spec = changed(spec_of("dev"), "snowflake.ingest.secret_arn", arn)
    to = "aws_secretsmanager_secret.secret-ingest-secret"
    assert document(spec, "imports") == {"import": [{"to": to, "id": arn}]}


def test_a_cluster_of_redshift_is_the_resource_that_pulumi_makes() -> None:
    section = {"cluster": {"identifier": "analytics", "nodes": 2}, "views": [{"stream": "orders"}]}
    spec = spec_of("prod", redshift=section)
    (cluster,) = document(spec, "main")["resource"]["aws_redshift_cluster"].values()
    (pulumis,) = CLUSTER.instances(blueprint_of(spec))
    given = {name for name, value in pulumis.arguments.items() if value is not None}
    assert cluster.keys() - {"lifecycle", "depends_on"} == given
    assert cluster["lifecycle"]["prevent_destroy"] is True
    assert cluster["manage_master_password"] is True
    assert "master_password" not in cluster


def test_nothing_secret_is_in_a_module() -> None:
    text = "".join(module_files(spec_of("prod")).values())
    assert "PRIVATE KEY" not in text
    assert "aws_secretsmanager_secret_version" not in text
    assert (
        not {"password", "private_key", "token"}
        & document(spec_of("prod"), "providers")["provider"]["snowflake"].keys()
    )
