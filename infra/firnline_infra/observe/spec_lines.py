"""Lines of a specification that findings are about, for reports that a reviewer reads beside it."""

import re
from collections.abc import Callable, Iterator

import yaml

from firnline_ingest.checks import Finding

LineOf = Callable[[Finding], int]
NAMED_BY = ("name", "table", "stream", "identifier")
"""Keys whose value is an object's name."""


def first_line(_: Finding) -> int:
    return 1


def line_of(text: str) -> LineOf:
    """Finds the line of the property in the specification, else of its object, else the first. `text` is a specification's
    YAML."""
    named = list(_named(yaml.compose(text, Loader=yaml.SafeLoader)))

    def find(finding: Finding) -> int:
        name = finding.name.rpartition(" ")[2].rpartition(".")[2].casefold()
        wanted = "stream" if "stream" in finding.kind else "table"
        found = [(key, mapping) for value, key, mapping in named if value == name]
        found.sort(
            key=lambda each: each[0] != ("name" if wanted == "stream" else wanted)
        )  # a pipeline names its stream, too
        return _property(found[0][1], finding.path) if found else 1

    return find


def _named(node: yaml.Node | None) -> Iterator[tuple[str, str, yaml.MappingNode]]:
    """Each object with its name, and the key that says it."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(value, yaml.ScalarNode) and key.value in NAMED_BY:
                yield value.value.strip('"').casefold(), key.value, node
            yield from _named(value)
    elif isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from _named(each)


def _property(mapping: yaml.MappingNode, path: str) -> int:
    """The line of the deepest part of the path that the specification has: of `tags.owner` in an object that has tags."""
    line = mapping.start_mark.line + 1
    for part in re.split(r"[.\[]", path):
        name = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", part).casefold()
        found = next(((key, value) for key, value in mapping.value if key.value == name), None)
        if found is None:
            break
        line = found[0].start_mark.line + 1
        if not isinstance(found[1], yaml.MappingNode):
            break
        mapping = found[1]
    return line
