"""The peer: what a team would write instead, in Java."""
