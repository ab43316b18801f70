"""docs/spec.md: every field of a specification, and what engine.json has beside it, from the schema that editors read.

An option stands there once: the engine's part names the fields and sections that it shares with a specification.
"""

from collections.abc import Iterator
from typing import Any

from firnline_infra.specification.reference.json_schema import Schema, json_schema
from firnline_ingest.config.form import IN_WORDS
from firnline_ingest.config.model import EngineConfig

START = """\
# The specification of an environment

<!-- Made by `firnline spec reference > docs/spec.md` from the models in infra/firnline_infra/specification. Change those. -->

One YAML document specifies an environment; names, permissions, Snowflake objects and the engine's configuration follow
from it. `firnline init` writes a first one, `firnline spec check ENV` tells everything that is wrong with it at once, and
editors that know JSON Schema complete and check it while it is written, by the first line of this smallest example:

```yaml
# yaml-language-server: $schema=schema.json
version: 1
name: dev
aws:
  region: eu-central-1
  account: "123456789012"
snowflake:
  account: ORG-ACCOUNT
streams:
  - name: orders
pipelines:
  - stream: orders
    database: LAKE
    schema: RAW
```

`schema.json` lies beside the environments of the repository; elsewhere, `firnline spec schema > schema.json` writes it.

Nothing secret belongs here. Public keys, and the ARNs of the secrets that hold the private ones, are put by `firnline keys`
into a file beside the document, `dev.keys.yaml` beside `dev.yaml`; it is read with it.

Snowflake names are upper-cased as everywhere in Snowflake; a name between double quotes keeps its case: `'"My Orders"'`.
"""
ENGINE_START = """
# engine.json: the engine's configuration

One JSON document configures an engine: what it reads, where the rows go and what it remembers.
`firnline outputs ENV --engine-config` writes it from a specification, with all names and places of the environment; to run the
engine alone, write it by hand ([first-real-run.md](first-real-run.md)). This is the smallest one:

```json
{
  "version": 1,
  "application": "orders-prod",
  "aws": {"region": "eu-west-1"},
  "ledger": {"table": "firnline-orders-prod"},
  "snowflake": {"account": "ORG-ACCT", "user": "ENGINE", "role": "INGEST", "private_key": {"env": "KEY"}},
  "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
  "dead_letters": {"folder": "/var/lib/firnline/dead-letters"},
  "spark": {"checkpoint": "s3a://bucket/checkpoint"}
}
```

`firnline validate --config engine.json` lists everything that is wrong with it at once, and asks every service whether the engine
has the rights that it needs. Nothing secret belongs here: secrets are named by the variable or the place that holds them. Other
connectors' names of these options: [options.md](options.md). Sections that are not listed here are those of the specification,
above; there `aws` is `aws.runtime`, and `access` is a stream's.
"""
ELSEWHERE_SAID = {
    "patterns[]": "pipelines[]",
    "pipelines[].access": "streams[].access",
    "aws": "aws.runtime",
    "snowflake.private_key": "snowflake.ingest.private_key",
}
"""Places of engine.json, and where a specification has the same."""
ROOT = "The document"


def page() -> str:
    specification, engine = json_schema(), json_schema(EngineConfig)
    said = _objects(specification)
    text = "".join(_section("##", path, definition, specification["$defs"]) for path, definition in said.items())
    return START + text + ENGINE_START + "".join(_engine_sections(engine, said)) + "\n"


def _engine_sections(engine: Schema, said: Schema) -> Iterator[str]:
    """The engine's sections, without those, and the fields, that a specification has at the same place, or at that of
    ELSEWHERE_SAID."""
    for path, definition in _objects(engine).items():
        same = said.get(_place_in_specification(path), {}) if path else {}
        if definition != same:
            yield _section("###", path, definition, engine["$defs"], shared=same.get("properties", {}))


def _place_in_specification(path: str) -> str:
    for place, there in ELSEWHERE_SAID.items():
        if path == place or path.startswith(f"{place}."):
            return there + path.removeprefix(place)
    return path


def _objects(schema: Schema) -> dict[str, Schema]:
    """Each object by the place where the document has it first, in the document's order."""
    found: dict[str, Schema] = {}
    seen: set[str] = set()
    waiting: list[tuple[str, Schema]] = [("", schema)]
    while waiting:
        path, definition = waiting.pop(0)
        found[path] = definition
        inner = []
        for name, field in definition["properties"].items():
            for kind in _objects_of(field, schema["$defs"]):
                if kind not in seen:
                    seen.add(kind)
                    above = path.partition(", ")[0]
                    place = f"{above}.{name}" if path else name
                    one_of = _told_apart_by(schema["$defs"][kind])
                    inner.append((f"{place}[]{one_of}" if _is_list(field) else place + one_of, schema["$defs"][kind]))
        waiting[:0] = inner
    return found


def _section(level: str, path: str, definition: Schema, kinds: Schema, *, shared: Schema | None = None) -> str:
    """The fields that are not in `shared` have a line each, and the others are named."""
    required = definition.get("required", [])
    fields = {name: field for name, field in definition["properties"].items() if (shared or {}).get(name) != field}
    rows = [
        f"| `{name}` | {_type(field, kinds)} | {_default(name, field, required)} | {_cell(_meaning(field, kinds))} |\n"
        for name, field in fields.items()
    ]
    place, comma, kind = path.partition(", ")
    title = f"`{place}`{comma}{kind}" if path else ROOT
    start = f"\n{level} {title}\n\n{definition['description']}\n\n| field | type | default | |\n|---|---|---|---|\n"
    names = ", ".join(f"`{name}`" for name in definition["properties"] if name not in fields)
    others = f"\nAs in a specification: {names}.\n" if names else ""
    return start + "".join(rows) + "".join(_choices(fields, kinds)) + others


def _meaning(field: Schema, kinds: Schema) -> str:
    """Returns a field's own words; of a section without any, the section's first sentence."""
    sections = [_resolved(each, kinds) for each in _alternatives(field) or [_item(field)]]
    about = sections[0].get("description", "") if len(sections) == 1 else ""
    meaning: str = field["description"] or f"{about.split('. ')[0].rstrip('.')}."
    return meaning


def _told_apart_by(definition: Schema) -> str:
    """Returns what tells this section from the others that may stand in its place."""
    kind = definition["properties"].get("type", {}).get("const")
    return f", `type: {kind}`" if kind else ""


def _choices(fields: Schema, kinds: Schema) -> Iterator[str]:
    """Yields what each value of an enumeration means."""
    for name, field in fields.items():
        kind = _resolved(_item(field), kinds)
        allowed = _item(field).get("enum") or kind.get("enum", [])
        meanings = dict(zip(kind.get("enum", []), kind.get("enumDescriptions", []), strict=False))
        if any(meanings.values()):
            yield f"\n`{name}`:\n\n"
            yield from (f"* `{value}`: {meanings[value]}\n" for value in allowed)


def _type(field: Schema, kinds: Schema) -> str:
    item, choices = _item(field), _alternatives(field)
    if not field.keys() - {"default", "description"}:
        return "any value"
    if _is_list(field) and len(among := _alternatives(field["items"])) > 1:
        return f"list of {', '.join(_scalar(_resolved(each, kinds)) for each in among)} or null"
    if len(choices) > 1:
        return " or ".join(_scalar(_resolved(choice, kinds)) for choice in choices)
    if "oneOf" in item:
        return "list of sections, each by its `type`" if _is_list(field) else "section, by its `type`"
    kind = _resolved(item, kinds)
    text = _scalar(item if "type" in item else kind)
    if kind.get("enum"):
        text = " or ".join(f"`{value}`" for value in kind["enum"])
    return f"list of {text}" if _is_list(field) else text


def _scalar(kind: Schema) -> str:
    if "const" in kind:
        return f"`{kind['const']}`"
    if "enum" in kind:
        return " or ".join(f"`{value}`" for value in kind["enum"])
    match kind.get("type"):
        case "integer" | "number" as name:
            bounds = (kind.get("minimum"), kind.get("maximum"))
            return name if None in bounds else f"{name}, {bounds[0]:,} to {bounds[1]:,}"
        case "boolean":
            return "`true` or `false`"
        case "object" if "properties" not in kind:
            return "mapping of text to text"
        case "object":
            return "section"
    if kind.get("format") == "date-time":
        return "time, ISO 8601"
    return f"text: {kind[IN_WORDS].removeprefix('has to be ')}" if IN_WORDS in kind else "text"


def _default(name: str, field: Schema, required: list[str]) -> str:
    if name in required:
        return "**required**"
    match field.get("default"):
        case None if _is_list(field):
            return "empty"
        case None:
            return "as below" if "$ref" in field or "oneOf" in field else ""
        case bool() as value:
            return f"`{str(value).lower()}`"
        case [] | "":
            return "empty"
        case float() as value:
            return f"`{value:g}`"
        case value:
            return f"`{value}`"


def _item(field: Schema) -> Schema:
    """The field's schema, without the list or the null around it."""
    for choice in field.get("anyOf", []):
        if choice.get("type") != "null":
            return _item(choice)
    items: Any = field.get("items")
    return _item(items) if isinstance(items, dict) else field


def _alternatives(field: Schema) -> list[Schema]:
    """More than one where a text or a section may stand."""
    return [choice for choice in field.get("anyOf", []) if choice.get("type") != "null"]


def _is_list(field: Schema) -> bool:
    return field.get("type") == "array"


def _resolved(item: Schema, kinds: Schema) -> Schema:
    reference = item.get("$ref")
    resolved: Schema = kinds[reference.rpartition("/")[2]] if reference else item
    return resolved


def _objects_of(field: Schema, kinds: Schema) -> list[str]:
    items = [_item(choice) for choice in field.get("anyOf", [field])]
    kinds_of = [each for item in items for each in item.get("oneOf", [item])]
    references = [each.get("$ref", "").rpartition("/")[2] for each in kinds_of]
    return [reference for reference in references if reference and "properties" in kinds[reference]]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<")
