"""Records to rows: what a payload has to be, and what is put in front of it. Pure: no clock, no network, no Spark."""
