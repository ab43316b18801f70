"""The jars are those that were tested, or there are none; what is there is not fetched again."""

from pathlib import Path

import pytest

from firnline_infra.s3a import JarForeign, JarsUnreachable, hadoop_of, jars_for, known_hadoops, provide, provided_at
from firnline_infra.s3a.__main__ import main
from firnline_infra.s3a.jars import Jar

JARS = (Jar("org/a/1/a-1.jar", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),)  # of "a"
HADOOP = "3.5.0"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One jar is on the list, and in a repository on this disk."""
    monkeypatch.setattr("firnline_infra.s3a.fetch.jars_for", lambda _: JARS)
    file = tmp_path / "repository" / JARS[0].path
    file.parent.mkdir(parents=True)
    file.write_bytes(b"a")
    return tmp_path / "repository"


def test_a_jar_is_fetched_once_and_nothing_else_lies_beside_it(repository: Path, tmp_path: Path) -> None:
    folder = tmp_path / "jars"
    assert provide(HADOOP, folder, repository=repository.as_uri()) == folder
    (repository / JARS[0].path).unlink()
    assert provide(HADOOP, folder, repository=repository.as_uri()) == folder
    assert [each.name for each in folder.iterdir()] == ["a-1.jar"]
    assert (folder / "a-1.jar").read_bytes() == b"a"


def test_a_damaged_jar_is_fetched_anew(repository: Path, tmp_path: Path) -> None:
    folder = tmp_path / "jars"
    folder.mkdir()
    (folder / "a-1.jar").write_bytes(b"half")
    provide(HADOOP, folder, repository=repository.as_uri())
    assert (folder / "a-1.jar").read_bytes() == b"a"


def test_another_jar_under_the_name_is_not_kept(repository: Path, tmp_path: Path) -> None:
    (repository / JARS[0].path).write_bytes(b"b")
    with pytest.raises(JarForeign, match=r"a-1\.jar"):
        provide(HADOOP, tmp_path / "jars", repository=repository.as_uri())
    assert list((tmp_path / "jars").iterdir()) == []


@pytest.mark.parametrize("where", ["file:///nowhere", "http://127.0.0.1:9", "no url"])
def test_a_repository_that_does_not_answer_is_named(repository: Path, tmp_path: Path, where: str) -> None:
    assert repository.is_dir()
    with pytest.raises(JarsUnreachable, match="--repository"):
        provide(HADOOP, tmp_path / "jars", repository=where)


def test_the_command_prints_the_folder_and_fails_without_a_trace(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = str(tmp_path / "jars")
    assert main(["--into", into, "--repository", repository.as_uri()]) == 0
    assert capsys.readouterr().out == f"{into}\n"
    assert main(["--into", str(tmp_path / "other"), "--repository", "file:///nowhere"]) == 2
    assert "FL-5402" in capsys.readouterr().err


def test_an_unknown_hadoop_names_those_that_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--hadoop", "2.7.0"]) == 2
    said = capsys.readouterr().err
    assert "FL-5401" in said
    assert all(hadoop in said for hadoop in known_hadoops())


@pytest.mark.parametrize("hadoop", known_hadoops())
def test_each_list_has_hadoop_aws_of_that_hadoop_and_one_aws_sdk(hadoop: str) -> None:
    jars = jars_for(hadoop)
    assert f"hadoop-aws-{hadoop}.jar" in {jar.name for jar in jars}
    assert (
        len({jar.path.split("/")[-2] for jar in jars if "/awssdk/" in jar.path and "eventstream" not in jar.path}) == 1
    )
    assert len({jar.name for jar in jars}) == len(jars)
    assert not any("/bundle/" in jar.path for jar in jars)
    assert all(len(jar.sha256) == 64 for jar in jars)


def test_there_is_a_list_for_the_spark_that_is_installed() -> None:
    import pyspark

    assert hadoop_of(Path(pyspark.__file__).parent / "jars") in known_hadoops()
    assert hadoop_of(Path("/nowhere")) is None


def test_the_cache_is_the_users(tmp_path: Path) -> None:
    assert provided_at(HADOOP, {"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "firnline" / "s3a-3.5.0"
    assert provided_at(HADOOP, {"HOME": "/home/ada"}) == Path("/home/ada/.cache/firnline/s3a-3.5.0")
