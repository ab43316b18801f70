import pytest
from packaging.tags import parse_tag

from firnline_infra.artefact import target_of
from firnline_infra.artefact.errors import TargetUnsupported


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"python": "3.9"}, "Python 3.9"),
        ({"python": "3.14"}, "Python 3.14"),
        ({"architecture": "riscv64"}, "riscv64: the Snowpipe Streaming SDK"),
        ({"spark": "3.5.6"}, "no emr-7.x release does"),
        ({"spark": "4.0.1"}, "4.0.2 or newer"),
        ({"spark": "5.0.0"}, "below 5"),
        ({"spark": "emr-7.10.0"}, "Spark emr-7.10.0"),
    ],
)
def test_what_no_engine_runs_on_is_refused_with_the_reason(wrong: dict[str, str], reason: str) -> None:
    with pytest.raises(TargetUnsupported, match=reason):
        target_of(**{"python": "3.13", "architecture": "aarch64", "spark": "4.1.1"} | wrong)


def test_every_reason_is_told_at_once() -> None:
    with pytest.raises(TargetUnsupported) as raised:
        target_of(python="3.9", architecture="s390x", spark="3.5.0")
    assert str(raised.value).count("\n  - ") == 3


@pytest.mark.parametrize(("called", "is_called"), [("ARM64", "aarch64"), ("arm64", "aarch64"), ("X86_64", "x86_64")])
def test_an_architecture_goes_by_aws_names_too(called: str, is_called: str) -> None:
    assert target_of(python="3.13", architecture=called, spark="4.1.1").architecture == is_called


@pytest.mark.parametrize(
    ("tag", "runs"),
    [
        ("cp313-cp313-manylinux_2_28_aarch64", True),
        ("cp39-abi3-manylinux2014_aarch64", True),
        ("py3-none-any", True),
        ("cp313-cp313-manylinux_2_34_aarch64", True),
        ("cp313-cp313-manylinux_2_35_aarch64", False),
        ("cp313-cp313-musllinux_1_2_aarch64", False),
        ("cp312-cp312-manylinux_2_28_aarch64", False),
        ("cp313-cp313t-manylinux_2_28_aarch64", False),
        ("cp313-cp313-manylinux_2_28_x86_64", False),
    ],
)
def test_a_wheel_runs_on_amazon_linux_2023_or_not(tag: str, runs: bool) -> None:
    tags = set(target_of(python="3.13", architecture="aarch64", spark="4.1.1").tags())
    assert bool(parse_tag(tag) & tags) is runs
