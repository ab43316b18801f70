"""The table in which a migration is noted, beside the ledger: named until it is gone, because nothing needs it for long."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names

IN_A_BLOCK = re.compile(
    r"(?m)^(?P<before>ledger:[^\n]*\n(?:(?:[ \t]+[^\n]*|[ \t\r]*)\n)*?[ \t]+migration:[ \t]*)true\b"
)
IN_ONE_LINE = re.compile(r"(?m)^(?P<before>ledger:[ \t]*\{[^}\n]*\bmigration:[ \t]*)true\b")


def migration_table(ledger_table: str) -> str:
    return f"{ledger_table}_migration"


def is_there(dynamodb: Any, table: str) -> bool | None:
    """Returns None if that could not be asked."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        dynamodb.describe_table(TableName=table)
    except ClientError as error:
        return False if error.response["Error"]["Code"] == "ResourceNotFoundException" else None
    except BotoCoreError:
        return None
    return True


def told_migration_table(dynamodb: Any, ledger_table: str, command: str, *, is_made: bool = False) -> Iterator[str]:
    """The table in a person's words while it is there. `is_made`: the specification says so, where it can't be asked."""
    table = migration_table(ledger_table)
    if is_there(dynamodb, table) or (is_made and is_there(dynamodb, table) is None):
        yield (
            f"Table {table} is there, in which a migration was noted. Once `firnline audit --migrated` has proven it: "
            f"`{command}` removes it, which takes dynamodb:DeleteTable on it."
        )


def told_of(spec: EnvironmentSpec, dynamodb: Any) -> list[str]:
    ledger, is_made = Names.of(spec).ledger_table, spec.ledger.migration
    return list(told_migration_table(dynamodb, ledger, f"firnline migrate {spec.name} --finish", is_made=is_made))


def no_longer_made(specification: Path) -> bool:
    """Sets `ledger.migration` of the document to false, and changes nothing else; returns False if it finds no such line."""
    text = specification.read_bytes().decode()  # each line ends as it did
    for pattern in (IN_A_BLOCK, IN_ONE_LINE):
        changed, times = pattern.subn(r"\g<before>false", text, count=1)
        if times:
            specification.write_bytes(changed.encode())
            return True
    return False
