"""`firnline explain`: what the runbook says of an error."""

import click

from firnline_infra.cli.output import output_option, show


@click.command()
@click.argument("id_", metavar="ID")
@output_option()
def explain(id_: str, output: str) -> None:
    """Print the runbook's entry of an error id, such as FL-3011."""
    from firnline_infra.error_catalog import error_of
    from firnline_ingest.terminal import folded

    error = error_of(id_)
    parts = {"meaning": error.__doc__, "causes": error.causes, "next_step": error.remedy}
    document = {"id": error.id, "name": error.__name__, "kind": error.kind(), **parts}
    titles = zip(("", "How it comes about: ", "Next: "), parts.values(), strict=True)
    text = [
        f"{error.id} {error.__name__} ({error.kind()})",
        *(folded(said, first=title) for title, said in titles if said),
    ]
    show(output, lambda: document, lambda: "\n\n".join(text))
