"""The life's environment, made in the embedded one without its commands, and what its roles see of it.

`scripts/live --embedded --only life --record tests/live/believed` lives it by the commands; here it costs seconds.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from firnline_infra.specification import load_spec
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.provisioning import bootstrap, provision
from firnline_local.running import RunningEnvironment
from tests.live.embedded import variables_of
from tests.live.life import Life
from tests.live.names import Run
from tests.live.sweep import left_in_snowflake, swept
from tests.live.sweep_aws import left_in_aws


def answers_of_the_life(environment: RunningEnvironment, folder: Path) -> dict[str, Any]:
    """Returns the answers by question. Nothing of the environment stays."""
    run = Run(int(time.time()))
    accounts, variables = EmbeddedAccounts(environment), {**os.environ, **variables_of(environment)}
    with _variables(variables):
        life = Life(
            run=run,
            folder=folder,
            variables=variables,
            region=environment.endpoints.region,
            snowflake_account=environment.endpoints.snowflake_account,
            seconds_left=lambda: 600.0,
            say=print,
        )
        try:
            life.prepare()
            provision(environment, bootstrap(environment, load_spec(life.spec_file)))
            life.ask_of_the_environment()
        finally:
            swept(left_in_aws(cache(accounts.aws), run.__eq__), print)
            with closing(accounts.snowflake()) as administrator:
                swept(left_in_snowflake(administrator, run.__eq__), print)
    return life.answers


@contextmanager
def _variables(wanted: Mapping[str, str]) -> Iterator[None]:
    """Sets variables; those of this process are as before afterwards."""
    before = dict(os.environ)
    os.environ.update(wanted)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
