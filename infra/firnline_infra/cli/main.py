"""The root of the command line. A command is one file, and one line here or in its group.

What Firnline knows to be wrong is printed without a traceback, with exit status 2. Anything else is a defect, and keeps
its traceback. No module of this package imports an SDK or Spark before its command runs (tests/test_imports.py).
"""

import click

from firnline_infra.cli.extras import missing_extra
from firnline_infra.cli.lazy_group import LazyGroup
from firnline_infra.terminal import printable
from firnline_ingest.errors import FirnlineError

EXIT_ERROR = 2


@click.group(
    cls=LazyGroup,
    at={
        "audit": "firnline_infra.cli.audit:audit",
        "bootstrap": "firnline_infra.cli.bootstrap:bootstrap",
        "build": "firnline_infra.cli.build:build",
        "cross-account": "firnline_infra.cli.cross_account:cross_account",
        "dead-letters": "firnline_infra.cli.dead_letters:dead_letters",
        "deploy": "firnline_infra.cli.deploy:deploy",
        "deregister": "firnline_infra.cli.engine:deregister",
        "destroy": "firnline_infra.cli.destroy:destroy",
        "doctor": "firnline_infra.cli.doctor:doctor",
        "drain": "firnline_infra.cli.engine:drain",
        "drift": "firnline_infra.cli.drift:drift",
        "egress": "firnline_infra.cli.egress:egress",
        "estimate": "firnline_infra.cli.estimate:estimate",
        "explain": "firnline_infra.cli.explain:explain",
        "init": "firnline_infra.cli.init:init",
        "keys": "firnline_infra.cli.keys:keys",
        "latency": "firnline_infra.cli.latency:latency",
        "logs": "firnline_infra.cli.logs:logs",
        "migrate": "firnline_infra.cli.engine:migrate",
        "outputs": "firnline_infra.cli.outputs:outputs",
        "pipeline": "firnline_infra.cli.pipeline:pipeline",
        "preview": "firnline_infra.cli.preview:preview",
        "put": "firnline_infra.cli.put:put",
        "resume": "firnline_infra.cli.engine:resume",
        "run": "firnline_infra.cli.engine:run",
        "spec": "firnline_infra.cli.spec:spec",
        "status": "firnline_infra.cli.status:status",
        "stop": "firnline_infra.cli.stop:stop",
        "up": "firnline_infra.cli.up:up",
        "validate": "firnline_infra.cli.engine:validate",
    },
    added_by="firnline.commands",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="firnline-infra", prog_name="firnline")
def firnline() -> None:
    """Amazon Kinesis to Snowflake as code: every record exactly once.

    To have an environment: firnline init, then what it names.
    """


def main() -> None:
    try:
        firnline()
    except FirnlineError as error:
        _fail(error)
    except ModuleNotFoundError as error:
        explained = missing_extra(error)
        if explained is None:
            raise
        _fail(explained)


def _fail(error: FirnlineError) -> None:
    """It may hold what a server or a producer wrote."""
    click.echo(printable(str(error)), err=True)
    raise SystemExit(EXIT_ERROR)
