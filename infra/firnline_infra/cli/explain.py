"""`firnline explain`: what the runbook says of an error."""

import click


@click.command()
@click.argument("id_", metavar="ID")
def explain(id_: str) -> None:
    """Print the runbook's entry of an error id, such as FL-3011."""
    from firnline_infra.error_catalog import error_of

    error = error_of(id_)
    click.echo(f"{error.id} {error.__name__} ({error.kind()})")
    for title, text in (("", error.__doc__), ("How it comes about: ", error.causes), ("Next: ", error.remedy)):
        if text:
            click.echo(f"\n{title}{text}")
