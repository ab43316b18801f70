"""`firnline run`, `drain`, `validate`, `resume`, `deregister`, `migrate`: the engine's own (its `__main__`), under one roof."""

import click

AS_GIVEN = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


def _engine_command(name: str, summary: str) -> click.Command:
    """Hands the arguments to the engine as they are, `--help` too: it knows them, and says so in one place."""

    @click.command(name, context_settings=AS_GIVEN, help=summary, add_help_option=False)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> None:
        from firnline_ingest.__main__ import main

        raise SystemExit(main([name, *arguments], program="firnline"))

    return command


run = _engine_command("run", "Read the streams into Snowflake until stopped.")
drain = _engine_command("drain", "Drain in-flight records and exit.")
validate = _engine_command("validate", "Check machine, ledger, streams and tables.")
resume = _engine_command("resume", "Resume stopped shards.")
deregister = _engine_command("deregister", "Deregister enhanced fan-out consumers.")
migrate = _engine_command("migrate", "Take over from the Kinesis Client Library or Openflow.")
