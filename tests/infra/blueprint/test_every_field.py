"""Every field of a specification is passed on: set to another value, it is found in the engine's document, in the blueprint,
in the job, or in ELSEWHERE.

Made from the models: a field that is added fails here until something reads it, or until ELSEWHERE says why nothing does.
"""

import json
from collections.abc import Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from firnline_infra.blueprint import blueprint_of, engine_config
from firnline_infra.environment import Environment
from firnline_infra.kinds import layers
from firnline_infra.runtimes.registry import render
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import kubernetes_prerequisites
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.redshift import Redshift
from firnline_ingest.config.proxy import ProxyOptions
from tests.infra.runtimes.environments import ENVIRONMENTS, RUNTIMES, job_of, spec_of
from tests.infra.specifications import one_pipeline, smallest

ELSEWHERE = {
    "EnvironmentSpec.version": "is of the document's form",
    "Runtime.modules": "decides what is in the archive (tests/infra/artefact)",
    "Runtime.native_wheel": "decides what is in the archive (tests/infra/artefact)",
    "Runtime.python": "decides what is in the archive (tests/infra/artefact)",
    "EmrEc2.architecture": "decides what is in the archive (tests/infra/artefact)",
    "ExtraStatement.why": "is for whoever reviews the statement",
    "ExtraStatement.wildcards": "is for whoever reviews the statement; without it checks/statements.py refuses wildcards",
    "SecurityGroupOptions.origin": "follows from vpc and ids: its model refuses any other",
    "EmrEc2.origin": "follows from cluster_id: its model refuses any other",
    "Kubernetes.context": "says how the cluster is reached (runtimes/spark_operator/service.py)",
    "Kubernetes.origin": "says whether deploy applies what is around the job (tests/fakes/kubernetes/test_namespace.py)",
    "Pipeline.shared_table": "lets checks/pipelines.py pass what it would refuse",
    "Network.snowflake_hosts": "is a list for a firewall (blueprint/network.py)",
}
"""Fields that none of these shows, and who reads them."""
Path_ = tuple[str | int, ...]


def sections(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from sections(argument)


def models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Yields the models that a specification is made of. What the engine takes as a whole is not taken apart: it is dumped from
    its model."""
    yield model
    for field in model.model_fields.values():
        for inner in sections(field.annotation):
            if inner.__module__.startswith("firnline_infra"):
                yield from models(inner)


MODELS = {model.__name__: model for model in models(EnvironmentSpec)}
FIELDS = [f"{name}.{field}" for name, model in MODELS.items() for field in model.model_fields]


@cache
def samples() -> list[EnvironmentSpec]:
    """With an instance of each model between them."""
    places = [ENVIRONMENTS / "prod.yaml", ENVIRONMENTS / "staging.yaml", Path(__file__).parent / "rich.yaml"]
    adopted = spec_of("dev", "emr_ec2", emr_ec2={"origin": "adopt", "cluster_id": "j-2AXXXXXXGAPLF"})
    rich, views = load_spec(places[-1]), [{"stream": "orders"}]
    clusters = [
        rich.model_copy(update={"redshift": Redshift.model_validate({"cluster": each, "views": views})})
        for each in ({"origin": "adopt", "identifier": "analytics"}, {"identifier": "made"})
    ]
    pods = spec_of("dev", "kubeflow", trust="pod-identity", oidc_provider=None, cluster="platform")
    behind = rich.model_copy(update={"proxy": ProxyOptions(url="http://proxy.example.com:3128")})
    runtimes = (spec_of("dev", runtime) for runtime in RUNTIMES)
    key = "arn:aws:kms:eu-central-1:123456789012:key/1a2b3c4d-0000-1111-2222-333344445555"
    theirs = smallest(
        aws={"runtime": {"trust": "emr-ec2"}}, streams=[{"name": "orders", "origin": "adopt", "key_arn": key}]
    )
    query = {"schema": "order_id STRING", "sql": "SELECT * FROM rows"}
    queried = smallest(**one_pipeline(query=query))
    return [*map(load_spec, places), *runtimes, adopted, *clusters, pods, behind, theirs, queried]


def instances(node: Any, path: Path_ = ()) -> Iterator[tuple[BaseModel, Path_]]:
    if isinstance(node, BaseModel):
        yield node, path
        for name in type(node).model_fields:
            yield from instances(getattr(node, name), (*path, name))
    elif isinstance(node, list):
        for number, each in enumerate(node):
            yield from instances(each, (*path, number))


def shown(spec: EnvironmentSpec) -> Iterator[str]:
    """Yields what it leads to, beginning with what is made fastest."""
    blueprint = blueprint_of(spec)
    yield repr(blueprint)
    yield json.dumps(engine_config(Environment.of(spec), blueprint.outputs), default=repr)
    yield json.dumps(render(job_of(spec), token="t") if spec.aws.runtime.kind else None, default=repr)
    yield json.dumps(kubernetes_prerequisites(spec) if spec.aws.runtime.kubernetes else None, default=repr)
    layers_of = (layers.foundation, layers.warehouse, layers.runtime)
    rows = [row for layer in layers_of for made in layer(blueprint) for row in made.resources()]
    yield repr([row for row in rows if row.type.startswith("aws_")])


def other_values(value: Any, annotation: Any) -> Iterator[Any]:
    """Values of the field's type that differ from this one."""
    arguments = get_args(annotation)
    if get_origin(annotation) is Literal:
        yield from (each for each in arguments if each != value)
    elif get_origin(annotation) is list:
        yield from ([] if not value else [value[:-1]])
        yield from ([each] for each in other_values(value[0] if value else None, arguments[0]))
    elif get_origin(annotation) is dict:
        yield {} if value else {"x": "x"}
    elif arguments:
        yield from (None,) if value is not None and type(None) in arguments else ()
        for argument in arguments:
            yield from other_values(value, argument)
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (each for each in annotation if each is not value)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from other_sections(value, annotation)
    elif annotation is bool:
        yield not value
    elif annotation in (int, float):
        yield from ((value or 0) + 7, (value or 0) + 700)
    elif annotation is Path:
        yield Path("/spare")
    elif annotation is str:
        yield from (f"{value or 'x'}x", "spare")


def other_sections(value: Any, model: type[BaseModel]) -> Iterator[BaseModel]:
    """Yields those of the samples, and this one with one field changed."""
    yield from (each for spec in samples() for each, _ in instances(spec) if type(each) is model and each != value)
    for name, field in model.model_fields.items() if isinstance(value, model) else ():
        for other in other_values(getattr(value, name), field.annotation):
            yield value.model_copy(update={name: other})


def with_other(node: Any, path: Path_, value: Any) -> Any:
    """A copy. Nothing is validated, so that each field can be looked at alone."""
    if not path:
        return value
    here, *rest = path
    if isinstance(here, int):
        return [*node[:here], with_other(node[here], tuple(rest), value), *node[here + 1 :]]
    return node.model_copy(update={here: with_other(getattr(node, here), tuple(rest), value)})


def is_seen(model: str, field: str) -> bool:
    for number, spec in enumerate(samples()):
        for node, path in instances_of(number).get(MODELS[model], ()):
            for value in other_values(getattr(node, field), type(node).model_fields[field].annotation):
                try:
                    after = shown(with_other(spec, (*path, field), value))
                    if any(one != other for one, other in zip(after, shown_before(number), strict=True)):
                        return True
                except Exception:
                    continue
    return False


@cache
def instances_of(sample: int) -> dict[type[BaseModel], list[tuple[BaseModel, Path_]]]:
    found: dict[type[BaseModel], list[tuple[BaseModel, Path_]]] = {}
    for node, path in instances(samples()[sample]):
        found.setdefault(type(node), []).append((node, path))
    return found


@cache
def shown_before(sample: int) -> list[str]:
    return list(shown(samples()[sample]))


def test_the_samples_have_every_section() -> None:
    there = {type(node).__name__ for spec in samples() for node, _ in instances(spec)}
    assert set(MODELS) - there == set()


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_is_passed_on(name: str) -> None:
    model, _, field = name.partition(".")
    assert is_seen(model, field) is (name not in ELSEWHERE), ELSEWHERE.get(name, "nothing reads it")


def test_what_is_read_elsewhere_is_a_field() -> None:
    assert set(ELSEWHERE) <= set(FIELDS)
