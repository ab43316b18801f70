"""Two of Snowflake's packages bring one file, `snowflake/ingest/__init__.py`: whichever was installed last has it.

That of `snowpipe-streaming` is empty. That of `snowflake-ingest` (1.0.13) imports all of its own package, and with it a function
that connector 5 no longer has: where it has won, not even the streaming SDK can be imported. Neither's `__init__` is relied on
here, and what is missing is put back.
"""

import sys
from importlib.util import find_spec
from pathlib import Path


def make_importable() -> None:
    """Has to be called before anything below `snowflake.ingest` is imported. Loads the connector only where it has to be
    fixed."""
    if "snowflake.ingest" in sys.modules:
        return
    found = find_spec("snowflake.ingest")
    if found is not None and found.origin and "SimpleIngestManager" in Path(found.origin).read_text(encoding="utf-8"):
        put_back_parse_account()


def put_back_parse_account() -> None:
    """Puts back what `snowflake-ingest` imports of the connector, though it claims to work with those that lack it."""
    from snowflake.connector import util_text

    if not hasattr(util_text, "parse_account"):
        setattr(util_text, "parse_account", _account_alone)  # noqa: B010 - a name that the module does not have


def _account_alone(account: str) -> str:
    """The account's name without region and cloud, as connector 4 has it."""
    name, _, rest = account.partition(".")
    return name.rpartition("-")[0] if rest.split(".")[0] == "global" and "-" in name else name
