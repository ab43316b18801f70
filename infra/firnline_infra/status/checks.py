"""The last `firnline drift` and `firnline audit` of an application, kept as files for its status.

In `.firnline/checks` of the folder where they ran: both commands read an account and write nothing to it. CI keeps that folder
as an artifact of its drift job, and `firnline status --checks FOLDER` reads what was downloaded of it.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from firnline_infra.status.model import CheckFinding, CheckStatus
from firnline_ingest.checks import Report
from firnline_ingest.config.form import AwsService

FOLDER = Path(".firnline") / "checks"
NAMES = ("drift", "audit")
MOST_FINDINGS, LONGEST_TEXT, LARGEST_BYTES = 20, 500, 1 << 20
AHEAD = timedelta(minutes=10)
"""By which another machine's clock may be fast; what lies further ahead would stay the newest one."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
FORM = TypeAdapter(CheckStatus)


def remember_check(
    application: str,
    name: str,
    exit_status: int,
    summary: str,
    *,
    findings: Sequence[CheckFinding] = (),
    embedded_at: str = "",
    folder: Path = FOLDER,
) -> None:
    """Remembers a check's result; nothing is remembered if the folder can't be written. `embedded_at`: see CheckStatus."""
    check = CheckStatus(
        application=application,
        name=name,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        exit_status=exit_status,
        summary=summary,
        ran_in=ci_run(os.environ),
        findings=tuple(islice(findings, MOST_FINDINGS)),
        embedded_at=embedded_at,
    )
    with suppress(OSError):
        file = folder / f"{application}.{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(f".{os.getpid()}.draft")  # a status that is read meanwhile finds the old one
        draft.write_text(json.dumps(asdict(check)) + "\n", encoding="utf-8")
        draft.replace(file)


def embedded_at(endpoints: Mapping[AwsService, str], variables: Mapping[str, str]) -> str:
    """Returns the endpoint of Kinesis in a configuration or in variables of the environment, if it is on this machine's loopback;
    else an empty text. Each embedded environment has one of its own: what was proven in one says nothing of the next, nor of an
    account.
    """
    found = endpoints.get("kinesis") or variables.get("AWS_ENDPOINT_URL_KINESIS", "")
    return found if urlsplit(found).hostname in LOOPBACK else ""


def findings_of_report(report: Report) -> Iterator[CheckFinding]:
    """Differences first, then what could not be seen."""
    for each in report.differences:
        yield CheckFinding(what=str(each), next_step=each.repair or each.next_step)
    for each in report.unseen:
        yield CheckFinding(what=f"not seen: {each}", next_step=each.next_step)


def ci_run(environment: Mapping[str, str]) -> str:
    """The address of the run that this process is in, of GitHub Actions or GitLab; empty on a person's machine."""
    if run := environment.get("GITHUB_RUN_ID"):
        server, repository = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_REPOSITORY", "")
        return f"{server}/{repository}/actions/runs/{run}"
    return environment.get("CI_JOB_URL", "")


def last_checks(
    application: str, folders: Iterable[Path] = (FOLDER,), *, embedded_at: str = ""
) -> Sequence[CheckStatus]:
    """The newest result of each check in these folders and those in them. Another application's result, that of another embedded
    environment, one that lies in the future and a file that this release can't read are none.
    """
    newest: dict[str, CheckStatus] = {}
    for check in _results(application, folders):
        if check.embedded_at != embedded_at:
            continue
        if check.name not in newest or check.moment > newest[check.name].moment:
            newest[check.name] = check
    return [newest[name] for name in NAMES if name in newest]


def _results(application: str, folders: Iterable[Path]) -> Iterator[CheckStatus]:
    latest = datetime.now(UTC) + AHEAD
    wanted = {f"{application}.{name}.json" for name in NAMES}
    for file in (file for folder in folders for file in folder.rglob("*.json") if file.name in wanted):
        with suppress(OSError, ValueError, OverflowError):
            if file.is_file() and file.stat().st_size <= LARGEST_BYTES:
                check = FORM.validate_json(file.read_bytes(), strict=True)
                if check.application == application and check.name in NAMES and check.moment <= latest:
                    yield _bounded(check)


def _bounded(check: CheckStatus) -> CheckStatus:
    """A page shows it: of what a file holds, so much and no more; the time as browsers read it."""
    findings = tuple(
        CheckFinding(what=each.what[:LONGEST_TEXT], next_step=each.next_step[:LONGEST_TEXT])
        for each in check.findings[:MOST_FINDINGS]
    )
    return replace(
        check,
        at=check.moment.astimezone(UTC).isoformat(timespec="seconds"),
        summary=check.summary[:LONGEST_TEXT],
        ran_in=check.ran_in[:LONGEST_TEXT],
        findings=findings,
    )
