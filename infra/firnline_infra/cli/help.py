"""`firnline help`: what `--help` of a command says."""

import click

from firnline_ingest.errors import did_you_mean


@click.command("help")
@click.argument("command", nargs=-1)
@click.pass_context
def help_(context: click.Context, command: tuple[str, ...]) -> None:
    """Print the help of a command: firnline help keys create."""
    found, named = context.find_root(), list[str]()
    for name in command:
        group = found.command
        nested = group.get_command(found, name) if isinstance(group, click.Group) else None
        if nested is None:
            known = group.list_commands(found) if isinstance(group, click.Group) else []
            where = " ".join(("firnline", *named))
            raise click.UsageError(f"{where} has no command {name!r}; {did_you_mean(name, known)}")
        named.append(name)
        found = click.Context(nested, parent=found, info_name=name)
    if found.command.get_help_option(found) is None:  # the engine's own parser helps
        found.command.main([*found.args, "--help"], prog_name=found.command_path, parent=found.parent)
    click.echo(found.get_help())
