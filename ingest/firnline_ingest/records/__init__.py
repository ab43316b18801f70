"""Records to rows: what a payload has to be, and what is put in front of it.

Pure: no network, no Spark, and no clock but push time's.
"""
