"""ALTER SESSION SET and UNSET, for the parameters that sessions know."""

from firnline_local.snowflake.sql.parameters import SESSION_DEFAULTS, session_value
from firnline_local.snowflake.sql.properties import any_value
from firnline_local.snowflake.sql.result import Result, StatementType, status
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.words import Words


def alter_session(context: Context, words: Words) -> Result:
    parameters = context.session.parameters
    if words.accept("UNSET"):
        keys = [words.word()]
        while words.accept(","):
            keys.append(words.word())
        words.end()
        for key in keys:
            parameters.pop(key, None)
        changed = {key: SESSION_DEFAULTS.get(key, "") for key in keys}
    else:
        words.expect("SET")
        changed = _read(words)
        parameters.update(changed)
    return Result(
        columns=status("").columns,
        rows=(("Statement executed successfully.",),),
        type=StatementType.SCL,
        parameters=changed,
    )


def _read(words: Words) -> dict[str, bool | int | str]:
    read: dict[str, bool | int | str] = {}
    while not words.at_end:
        key = words.word()
        words.expect("=")
        read[key] = session_value(key, any_value(words))
        words.accept(",")
    return read
