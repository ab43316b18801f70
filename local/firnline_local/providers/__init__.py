"""Makes, reads, changes and removes resources in the embedded AWS and Snowflake, through their real clients.

It is the only way anything comes to exist there: one file per type of resource (`registry` knows which), in the words of its
Pulumi provider (`resource`). A type without a file is refused by name.
"""
