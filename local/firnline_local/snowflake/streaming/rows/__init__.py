"""From a request's bytes to a table's rows."""
