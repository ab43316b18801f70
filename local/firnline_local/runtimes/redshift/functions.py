"""The functions that Redshift documents: the embedded one computes with another database, which has more and other ones.

By the pages of the Database Developer Guide below "SQL functions reference" (docs.aws.amazon.com/redshift/latest/dg, read
2026-11-28 as awsdocs/amazon-redshift-developer-guide has them, doc_source). Left out is what no streaming view or audit could
use: spatial, machine learning and HyperLogLog functions, and the administration of the system.
"""

from collections.abc import Iterator

from firnline_infra.specification.redshift_sql import called

BY_PAGE = """
c_Aggregate_Functions: any_value avg count listagg max median min percentile_cont percentile_disc stddev
    stddev_pop stddev_samp sum var_pop var_samp variance
c_Array_Functions: array array_concat array_flatten get_array_length split_to_array subarray
c_bitwise_aggregate_functions: bit_and bit_or bool_and bool_or
c_conditional_expressions: coalesce decode greatest least nullif nvl nvl2
r_Data_type_formatting: cast convert text_to_int_alt text_to_numeric_alt to_char to_date to_number
r_TRY_CAST: try_cast
Date_functions_header: add_months convert_timezone current_date date_cmp date_cmp_timestamp
    date_cmp_timestamptz date_part date_part_year date_trunc dateadd datediff extract getdate interval_cmp
    last_day months_between next_day sysdate timeofday timestamp_cmp timestamp_cmp_date
    timestamp_cmp_timestamptz timestamptz_cmp timestamptz_cmp_date timestamptz_cmp_timestamp timezone
    to_timestamp trunc
hash-functions: checksum farmfingerprint64 fnv_hash func_sha1 md5 murmur3_32_hash sha sha1 sha2
json-functions: can_json_parse is_valid_json is_valid_json_array json_array_length
    json_extract_array_element_text json_extract_path_text json_parse json_serialize json_serialize_to_varbyte
Math_functions: abs acos asin atan atan2 cbrt ceil ceiling cos cot degrees dexp dlog1 dlog10 exp floor ln log
    mod pi power radians random round sign sin sqrt tan to_hex
Object_Functions: lower_attribute_names object upper_attribute_names
String_functions_header: ascii bpcharcmp btrim bttext_pattern_cmp char_length character_length charindex chr
    collate concat crc32 difference initcap left len length lower lpad ltrim octet_length octetindex position
    quote_ident quote_literal regexp_count regexp_instr regexp_replace regexp_substr repeat replace replicate
    reverse right rpad rtrim soundex split_part strpos strtol substr substring textlen translate trim upper
c_Type_Info_Functions: decimal_precision decimal_scale is_array is_bigint is_boolean is_char is_decimal
    is_float is_integer is_object is_scalar is_smallint is_varchar json_size json_typeof size
varbyte-functions: from_hex from_varbyte getbit to_varbyte
c_Window_functions: cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank
    ratio_to_report row_number
r_System_information_functions: current_aws_account current_database current_namespace current_schema
    current_schemas current_user current_user_id has_assumerole_privilege has_database_privilege
    has_schema_privilege has_table_privilege pg_backend_pid pg_last_query_id session_user user version
r_PG_CLASS_INFO: pg_get_userbyid
"""
DOCUMENTED = frozenset(word for word in BY_PAGE.split() if not word.endswith(":"))


def undocumented(sql: str) -> Iterator[str]:
    """Each function that a SELECT calls and no page has; a function of a user's own is none of the embedded Redshift's either."""
    return (name for name in called(sql) if name not in DOCUMENTED)
