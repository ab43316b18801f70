"""`firnline spec reference`"""

import click


@click.command()
def reference() -> None:
    """Print the reference of every field, as Markdown."""
    from firnline_infra.specification.reference import page

    click.echo(page(), nl=False)
