"""Who calls what in the embedded AWS, and whether policies allow it.

Nothing here needs moto or boto3, so that both AWS faces and the Snowflake server can use it.
"""
