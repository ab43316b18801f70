"""The root of the command line. A command is one file, and one line here or in its group.

What Firnline knows to be wrong is printed without a traceback, with exit status 2. Anything else is a defect, and keeps
its traceback. No module of this package imports an SDK or Spark before its command runs (tests/test_imports.py).
"""

import os
import sys

import click

from firnline_infra.cli.colour import coloured, wants_colour
from firnline_infra.cli.extras import missing_extra
from firnline_infra.cli.lazy_group import INTERRUPTED, LazyGroup
from firnline_ingest.errors import FirnlineError
from firnline_ingest.terminal import printable

EXIT_ERROR = 2


@click.group(
    cls=LazyGroup,
    sections={
        "Describe an environment": {
            "init": "firnline_infra.cli.init:init",
            "spec": "firnline_infra.cli.spec:spec",
            "estimate": "firnline_infra.cli.estimate:estimate",
            "policy": "firnline_infra.cli.policy:policy",
            "bootstrap": "firnline_infra.cli.bootstrap:bootstrap",
            "cross-account": "firnline_infra.cli.cross_account:cross_account",
            "keys": "firnline_infra.cli.keys:keys",
            "hosts": "firnline_infra.cli.hosts:hosts",
        },
        "Create it": {
            "doctor": "firnline_infra.cli.doctor:doctor",
            "preview": "firnline_infra.cli.preview:preview",
            "up": "firnline_infra.cli.up:up",
            "outputs": "firnline_infra.cli.outputs:outputs",
            "drift": "firnline_infra.cli.drift:drift",
            "import": "firnline_infra.cli.import_existing:import_existing",
            "terraform": "firnline_infra.cli.terraform:terraform",
            "destroy": "firnline_infra.cli.destroy:destroy",
        },
        "Run the engine": {
            "build": "firnline_infra.cli.build:build",
            "deploy": "firnline_infra.cli.deploy:deploy",
            "status": "firnline_infra.cli.status:status",
            "logs": "firnline_infra.cli.logs:logs",
            "pipeline": "firnline_infra.cli.pipeline:pipeline",
            "stop": "firnline_infra.cli.stop:stop",
            "run": "firnline_infra.cli.engine:run",
            "drain": "firnline_infra.cli.engine:drain",
            "validate": "firnline_infra.cli.engine:validate",
        },
        "Records": {
            "put": "firnline_infra.cli.put:put",
            "audit": "firnline_infra.cli.audit:audit",
            "latency": "firnline_infra.cli.latency:latency",
            "dead-letters": "firnline_infra.cli.dead_letters:dead_letters",
            "redshift": "firnline_infra.cli.redshift:redshift",
        },
        "When something has stopped or moves": {
            "explain": "firnline_infra.cli.explain:explain",
            "resume": "firnline_infra.cli.engine:resume",
            "migrate": "firnline_infra.cli.engine:migrate",
            "deregister": "firnline_infra.cli.engine:deregister",
            "columns": "firnline_infra.cli.engine:columns",
        },
    },
    added_by="firnline.commands",
    added_title="Without an account",
    at_the_end={
        "The command itself": {
            "help": "firnline_infra.cli.help:help_",
            "completion": "firnline_infra.cli.completion:completion",
        },
    },
    brought_by={"demo": "local", "local": "local"},
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "FIRNLINE"},
)
@click.version_option(package_name="firnline-infra", prog_name="firnline")
@click.option(
    "--debug",
    is_flag=True,
    help="Say each request to AWS and Snowflake and what Pulumi or Terraform ask, without secrets, on standard error.",
)
@click.pass_context
def firnline(context: click.Context, *, debug: bool) -> None:
    """Amazon Kinesis to Snowflake as code: every record exactly once.

    To get started, run `firnline init` and follow its next steps.
    """
    context.color = wants_colour(os.environ)
    if debug:
        from firnline_infra.cli.debug import debugging

        context.with_resource(debugging())
    elif sys.stderr.isatty():
        from firnline_infra.cli.waiting import status_line

        context.with_resource(status_line())


def main() -> None:
    try:
        firnline()
    except KeyboardInterrupt:  # outside of any command
        raise SystemExit(INTERRUPTED) from None
    except FirnlineError as error:
        _fail(error)
    except ModuleNotFoundError as error:
        explained = missing_extra(error)
        if explained is None:
            raise
        _fail(explained)


def _fail(error: FirnlineError) -> None:
    """The message may hold what a server or a producer wrote."""
    click.echo(coloured(printable(str(error))), err=True, color=wants_colour(os.environ))
    raise SystemExit(EXIT_ERROR)
