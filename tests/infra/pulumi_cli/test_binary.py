from pathlib import Path

import pytest

from firnline_infra.pulumi_cli import binary
from firnline_infra.pulumi_cli.binary import find_cli, provided_at
from firnline_infra.pulumi_cli.errors import CliMissing, CliSilent, CliTooOld


def put_cli(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {says}\n")
    path.chmod(0o755)
    return path


def machine(folder: Path) -> dict[str, str]:
    return {"PATH": str(folder / "bin"), "XDG_CACHE_HOME": str(folder / "cache")}


def test_the_users_own_cli_is_used_where_it_is_new_enough(tmp_path: Path) -> None:
    put_cli(provided_at(machine(tmp_path)), "v3.250.0")
    own = put_cli(tmp_path / "bin" / "pulumi", "v3.226.1")
    assert find_cli(machine(tmp_path)) == own


def test_the_provided_one_takes_the_place_of_one_that_is_too_old(tmp_path: Path) -> None:
    put_cli(tmp_path / "bin" / "pulumi", "v3.226.0")
    provided = put_cli(provided_at(machine(tmp_path)), "v3.250.0")
    assert find_cli(machine(tmp_path)) == provided


@pytest.mark.parametrize("says", ["v3.226.0", "nothing-of-use"])
def test_one_that_is_too_old_is_named_and_so_is_what_to_do(tmp_path: Path, says: str) -> None:
    own = put_cli(tmp_path / "bin" / "pulumi", says)
    with pytest.raises(CliTooOld, match=r"3\.226\.1(?s:.*)scripts/pulumi-cli") as refused:
        find_cli(machine(tmp_path))
    assert str(own) in str(refused.value)


@pytest.mark.parametrize("is_provided", [False, True])
def test_one_that_does_not_answer_is_named_and_no_other_takes_its_place(
    is_provided: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = put_cli(tmp_path / "bin" / "pulumi", "")
    own.write_text("#!/bin/sh\nexec sleep 60\n")
    provided = provided_at(machine(tmp_path))
    if is_provided:
        put_cli(provided, "v3.250.0")
    monkeypatch.setattr(binary, "ANSWERS_WITHIN_S", 0.1)
    with pytest.raises(CliSilent) as refused:
        find_cli({**machine(tmp_path), "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"})
    assert refused.value.what == f"{own} did not answer `pulumi version` for 0 s."
    assert f"run `{own} version`" in refused.value.next_step
    assert (f"then {provided} is used" in refused.value.next_step) is is_provided


def test_without_any_the_error_names_the_script_that_provides_one(tmp_path: Path) -> None:
    with pytest.raises(CliMissing, match=r"Next: .*scripts/pulumi-cli"):
        find_cli(machine(tmp_path))


def test_the_place_is_the_users_cache() -> None:
    assert provided_at({"HOME": "/home/a"}) == Path("/home/a/.cache/firnline/pulumi-3.250.0/pulumi")
    assert provided_at({"HOME": "/home/a", "XDG_CACHE_HOME": "/c"}) == Path("/c/firnline/pulumi-3.250.0/pulumi")
