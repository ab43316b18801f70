"""Functions that DuckDB lacks, as macros of the store: text as Snowflake writes it, and complaints in its words.

`typeof` is how they tell types apart, so that they are right for any argument.
"""

from firnline_local.snowflake.catalog.store import Store

NTZ_FORMAT = "%Y-%m-%d %H:%M:%S.%g"

MACROS = (
    # A value as text: VARCHAR's casts of times have milliseconds, of binary hexadecimal digits.
    f"""sf_text(x) AS CASE typeof(x)
        WHEN 'DOUBLE' THEN error('[FL-6042] FLOAT as text: cast it to NUMBER first')
        WHEN 'TIMESTAMP' THEN strftime(CAST(CAST(x AS VARCHAR) AS TIMESTAMP), '{NTZ_FORMAT}')
        WHEN 'TIMESTAMP WITH TIME ZONE'
            THEN strftime(CAST(CAST(x AS VARCHAR) AS TIMESTAMP), '{NTZ_FORMAT}') || ' +0000'
        WHEN 'TIME' THEN split_part(CAST(x AS VARCHAR), '.', 1)
        WHEN 'JSON' THEN json_extract_string(CAST(x AS VARCHAR), '$')
        ELSE CAST(x AS VARCHAR) END""",
    # A text that has to fit: Snowflake never truncates in silence.
    """sf_fit(x, n) AS CASE WHEN length(x) > n
        THEN error('[100078] String ''' || left(x, 100) || ''' is too long and would be truncated') ELSE x END""",
    # A quotient of floats, and of whole numbers, rounded half away from zero.
    """sf_quotient(a, b) AS CASE WHEN b = 0 THEN error('[100051] Division by zero') ELSE a / b END""",
    """sf_ratio(a, b) AS CASE WHEN b = 0 THEN error('[100051] Division by zero')
        ELSE sign(a) * sign(b) * ((2 * abs(a) + abs(b)) // (2 * abs(b))) END""",
    # A variant as an object or an array.
    """sf_object(x) AS CASE WHEN x IS NULL OR json_type(x) = 'OBJECT' THEN x
        ELSE error('[100071] Failed to cast variant value ' || left(CAST(x AS VARCHAR), 100) || ' to OBJECT') END""",
    """sf_array(x) AS CASE WHEN x IS NULL OR json_type(x) = 'ARRAY' THEN x
        ELSE CAST('[' || CAST(x AS VARCHAR) || ']' AS JSON) END""",
    """sf_array_size(x) AS CASE WHEN json_type(x) = 'ARRAY' THEN json_array_length(x) END""",
    """sf_typeof(x) AS CASE json_type(x) WHEN 'OBJECT' THEN 'OBJECT' WHEN 'ARRAY' THEN 'ARRAY' WHEN 'VARCHAR' THEN 'VARCHAR'
        WHEN 'BOOLEAN' THEN 'BOOLEAN' WHEN 'NULL' THEN 'NULL_VALUE' WHEN 'UBIGINT' THEN 'INTEGER' WHEN 'BIGINT' THEN 'INTEGER'
        WHEN 'HUGEINT' THEN 'INTEGER'
        ELSE CASE WHEN contains(lower(CAST(x AS VARCHAR)), 'e') THEN 'DOUBLE' ELSE 'DECIMAL' END END""",
)


def install_macros(store: Store) -> None:
    """Once a store."""
    with store.cursor() as cursor:
        for macro in MACROS:
            cursor.execute(f"CREATE OR REPLACE MACRO {macro}")
