"""The questions, asked of the embedded environment: its answers are what is believed (believed/).

`python -m tests.live.rehearsal` writes them anew; tests/live/test_recorded.py holds the files against what it answers now.
"""

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from firnline_infra.keys.pair import new_pair
from firnline_infra.specification import load_spec
from firnline_ingest.snowflake.key import SigningKey
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.environment import LocalEnvironment
from firnline_local.running import RunningEnvironment
from tests.live import recordings
from tests.live.embedded import SPECIFICATION
from tests.live.names import Run
from tests.live.questions import aws, redshift, snowflake, streaming
from tests.live.sweep import left_in_snowflake, swept
from tests.live.sweep_aws import left_in_aws
from tests.live.verdicts import BELIEVED


@contextmanager
def answers_of(environment: RunningEnvironment) -> Iterator[dict[str, Any]]:
    """Returns what it answers, by what was asked; nothing of it stays."""
    run = Run(int(time.time()))
    accounts = EmbeddedAccounts(environment)
    clients, key, other = cache(accounts.aws), new_pair(), new_pair()
    region = environment.endpoints.region

    def as_user(pem: str, user: str, role: str) -> Any:
        return accounts.snowflake_as(user=user, role=role, private_key=pem)

    with closing(accounts.snowflake()) as administrator:
        opened, stranger = (partial(as_user, each.private_pem) for each in (key, other))
        in_sql = snowflake.asked(administrator, opened, stranger, run, key.public_key)
        database = snowflake.database_of(run)
        jwt = SigningKey(key.private_pem, "the run's").token(
            environment.endpoints.snowflake_account, f"{database}_USER"
        )
        execute = partial(snowflake.run_statement, administrator)
        query = partial(snowflake.rows_of_statement, administrator)
        with _trusting(environment), closing(opened(f"{database}_USER", f"{database}_INGEST")) as user:
            in_streams = streaming.asked(environment.endpoints.snowflake, jwt, database, execute, query, user)
        yield {
            "snowflake": in_sql | in_streams,
            "aws": aws.asked(clients, run, region),
            "redshift": redshift.asked(clients, run, region),
        }
        swept(left_in_aws(clients, run.__eq__), print)
        swept(left_in_snowflake(administrator, run.__eq__), print)


@contextmanager
def _trusting(environment: RunningEnvironment) -> Iterator[None]:
    own = {"SSL_CERT_FILE": str(environment.endpoints.ca_file), "NO_PROXY": "127.0.0.1,localhost"}
    before = {name: os.environ.get(name) for name in own}
    os.environ |= own
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)


def main(parts: Sequence[str] = ("snowflake", "aws", "redshift")) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="firnline-live-") as folder,
        LocalEnvironment(Path(folder), load_spec(SPECIFICATION), is_provisioned=False) as environment,
        answers_of(environment) as answered,
    ):
        for part in parts:
            print(recordings.write(BELIEVED, part, answered[part]))


if __name__ == "__main__":
    main()
