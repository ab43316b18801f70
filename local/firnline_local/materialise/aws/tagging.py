"""Sets and removes the tags of what services know by an ARN, where their operations take a mapping: TagResource, UntagResource.

Older services have words of their own for that; their files say them.
"""

from collections.abc import Callable
from typing import Any

from firnline_local.materialise.aws.inputs import tag_difference
from firnline_local.materialise.resource import Properties


def settle_tags(client: Any, arn: Callable[[], str], old: Properties, new: Properties) -> None:
    """`arn` is asked for only where a tag differs."""
    to_set, to_remove = tag_difference(old, new)
    if not to_set and not to_remove:
        return
    whose = arn()
    if to_remove:
        client.untag_resource(resourceArn=whose, tagKeys=to_remove)
    if to_set:
        client.tag_resource(resourceArn=whose, tags=to_set)
