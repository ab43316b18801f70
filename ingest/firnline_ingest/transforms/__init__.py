"""What becomes of a record before it is a row, transform by transform. Functions of the record alone: no clock, no network."""
