"""The engine that a command is about: the one of an environment ENV, or any by its configuration (`--config`).

A command gets one parameter, `engine`. What was typed is held against the specification before an account is asked for anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import VARIABLE, WHAT_ENV_IS, EnvironmentFile

if TYPE_CHECKING:
    from firnline_infra.accounts import Accounts
    from firnline_infra.specification import EnvironmentSpec
    from firnline_ingest.config.model import EngineConfig

ONE_OF_TWO = "Give either ENV or --config."


@dataclass(frozen=True)
class ChosenEngine:
    """The arguments as typed, before any SDK is loaded."""

    environment: Path | None
    accounts: ChosenAccounts
    config_file: str | None

    def of(self, environment: Path) -> "ChosenEngine":
        return replace(self, environment=environment)

    def out_of(self, arguments: Sequence[str], own: int) -> "tuple[ChosenEngine, list[str]]":
        """The engine with ENV, and the command's `own` arguments, which come behind it. Raises click.UsageError."""
        given = list(arguments)
        if len(given) == own + 1:
            return self.of(EnvironmentFile().convert(given.pop(0), None, None)), given
        if len(given) != own:
            raise click.UsageError(
                f"Got {len(given)} arguments; it takes {own}, and ENV before {'it' if own == 1 else 'them'}."
            )
        return self, given

    def config(self) -> "EngineConfig":
        """The file's; or that of what was deployed last, and for an engine that is started by hand that of the stack.

        Raises ConfigError, NotDeployed, WrongAwsAccount or AwsUnreachable.
        """
        if self.config_file is not None:
            from firnline_ingest.aws.configuration import read_config

            return read_config(self.config_file)
        return self._of_environment

    @cached_property
    def _of_environment(self) -> "EngineConfig":
        import os

        from firnline_infra.cli.rollout import engine_of

        assert self.environment is not None
        engine = engine_of(self.environment, self.accounts, say=_to_stderr)
        found = engine.current_config()
        os.environ.update(engine.accounts.variables)  # the engine's own code finds AWS as any program does
        return found

    @cached_property
    def spec(self) -> "EnvironmentSpec | None":
        """The specification that a person wrote; None with --config."""
        from firnline_infra.specification import load_spec

        return None if self.environment is None else load_spec(self.environment)

    @cached_property
    def here(self) -> "tuple[Accounts, EnvironmentSpec] | None":
        """The accounts, and the specification as it holds there; None with --config."""
        from firnline_infra.specification import load_spec

        if self.spec is None or self.environment is None:
            return None
        accounts = self.accounts.of(self.spec)
        return accounts, load_spec(accounts.specification(self.environment))

    def check_stream(self, stream: str | None, option: str) -> None:
        """Raises click.BadParameter for a stream of which ENV has no pipeline."""
        if stream is not None and self.spec is not None:
            check_stream(self.spec, stream, option)


def check_stream(spec: "EnvironmentSpec", stream: str, option: str) -> None:
    """Raises click.BadParameter for a stream that no pipeline of the specification names, or finds by its pattern."""
    from firnline_infra.specification.pipeline import others_of
    from firnline_ingest.errors import did_you_mean

    named = [pipeline.stream for pipeline in spec.pipelines]
    if stream not in named and not any(others_of(pipeline, [stream]) for pipeline in spec.pipelines):
        said = f"no pipeline of {spec.name} reads a stream {stream!r}; {did_you_mean(stream, named)}"
        raise click.BadParameter(said, param_hint=f"'{option}'")


def engine_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds ENV, the options of its accounts, and --config."""
    named = click.argument("environment", metavar="[ENV]", type=EnvironmentFile(), required=False, envvar=VARIABLE)
    return _with_engine(named, command)


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same where the command takes ENV out of its own arguments: `engine` has none yet."""
    return _with_engine(lambda wrapped: wrapped, command)


def _with_engine(
    environment: Callable[[Callable[..., Any]], Callable[..., Any]], command: Callable[..., Any]
) -> Callable[..., Any]:
    import inspect

    @wraps(command)
    def with_engine(
        *, accounts: ChosenAccounts, config_file: str | None, environment: Path | None = None, **values: Any
    ) -> Any:
        if config_file is not None and _is_of_variable():
            environment = None  # what is typed counts
        return command(engine=ChosenEngine(environment, accounts, config_file), **values)

    with_engine.__doc__ = f"{inspect.cleandoc(command.__doc__ or '')}\n\n{WHAT_ENV_IS}"
    config = click.option(
        "--config", "config_file", metavar="FILE", help="Instead of ENV: an engine's configuration, or s3://bucket/key."
    )
    return environment(accounts_options(config(with_engine)))


def _is_of_variable() -> bool:
    source = click.get_current_context().get_parameter_source("environment")
    return source is click.core.ParameterSource.ENVIRONMENT


def require_one(engine: ChosenEngine, others: Mapping[str, object] | None = None) -> None:
    """Raises click.UsageError unless one is given of ENV, --config and `others`, which are options by name."""
    given = [engine.environment, engine.config_file, *(others or {}).values()]
    if sum(each is not None for each in given) != 1:
        raise click.UsageError(f"Give one of ENV, --config and {', '.join(others)}." if others else ONE_OF_TWO)


def _to_stderr(line: str) -> None:
    click.echo(line, err=True)
