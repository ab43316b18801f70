"""`firnline completion`: what a shell has to be told so that it completes commands, options and environments."""

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    For example:
      eval "$(firnline completion bash)"       # in ~/.bashrc
      eval "$(firnline completion zsh)"        # in ~/.zshrc
      firnline completion fish > ~/.config/fish/completions/firnline.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    root = context.find_root().command
    script = kind(root, {}, "firnline", "_FIRNLINE_COMPLETE")
    click.echo(script.source_template % script.source_vars())
