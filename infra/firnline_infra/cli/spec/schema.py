"""`firnline spec schema`"""

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of specifications, for editors.

    \b
    An editor finds it by the first line of a specification:
      # yaml-language-server: $schema=schema.json
    """
    from firnline_infra.specification.reference.json_schema import json_schema_text

    click.echo(json_schema_text(), nl=False)
