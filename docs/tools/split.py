"""Long pages of the repository as several pages of the site, by what people look for.

The file stays one, so that a search in an editor finds all of it, and is a page still: an index in the place of its sections.
Each section has its old anchor there, so that an old link leads to the line that leads on.
"""

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DOCS = Path(__file__).parents[1]
HEADING = re.compile(r"(?m)^## (.+)$")
ANY_HEADING = re.compile(r"(?m)^#{2,4} (.+)$")
LINK = re.compile(r"(\]\()(?!https?:|mailto:|/)([^)\s#]*)(#[^)\s]*)?(\))")

SPECIFICATION: Mapping[str, tuple[str, str]] = {
    "aws": ("AWS: region, key, bucket", r"`aws`|`aws\.(key|bucket)"),
    "runtime": ("The engine's runtime", r"`aws\.runtime"),
    "snowflake": ("Snowflake", r"`snowflake"),
    "streams": ("Streams", r"`streams|`polling|`fan_out"),
    "formats": ("Formats", r"`pipelines\[\]\.format"),
    "transforms": ("Transforms", r"`pipelines\[\]\.transforms"),
    "pipelines": ("Pipelines: from a stream to a table", r"`pipelines"),
    "redshift": ("Redshift", r"`redshift"),
    "network": ("Network", r"`network"),
    "engine": ("How the engine runs, its metrics and alarms", r"`"),
    "configuration": ("engine.json: the engine's configuration", r"engine\.json"),
}
PERMISSIONS: Mapping[str, tuple[str, str]] = {
    "engine": ("AWS: the engine", r"AWS: (the engine|who may be the engine)"),
    "volumes": ("AWS: Snowflake, for external volumes", r"AWS: Snowflake"),
    "deploy": ("AWS: who deploys, and CI", r"AWS: who deploys"),
    "boundary": (
        "AWS: the boundary, the key administrator and wildcards",
        r"AWS: the (permissions boundary|key administrator)|Every wildcard",
    ),
    "replay": ("AWS: replaying dead letters", r"AWS: replaying"),
    "snowflake": ("Snowflake: roles and grants", r"Snowflake"),
}
RUNBOOK: Mapping[str, tuple[str, str]] = {
    "run": ("How a run ends", r"How a run ends"),
    "reading": ("Kinesis, and a shard that does not go on", r"Kinesis|A shard"),
    "ledger": ("The ledger, and moving from another consumer", r"The ledger"),
    "snowflake": ("Snowflake", r"Snowflake"),
    "records": ("Records, dead letters and the audit", r"Records|The audit"),
    "environments": ("What is created: Pulumi, Terraform, Redshift", r"Environments|Pulumi|Terraform|Redshift"),
    "deploying": ("Deploying, and the engine's job", r"The engine's|Accounts|Comparing|Rolling"),
    "configuration": ("Configuration, commands, the machine", r"Configuration|The embedded"),
}
SPLIT: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "spec.md": SPECIFICATION,
    "permissions.md": PERMISSIONS,
    "runbook.md": RUNBOOK,
}
"""Each page with its parts: a name, a title, and which headings begin its sections; the first that fits."""

SECTIONS: Mapping[str, str] = {
    "spec.md": "The specification",
    "permissions.md": "Permissions",
    "runbook.md": "The runbook",
}
"""The names of their sections in the navigation."""


@dataclass(frozen=True)
class SplitPage:
    index: str
    parts: Mapping[str, str]
    """The text of each, by its path below docs/."""
    titles: Mapping[str, str]
    places: Mapping[str, str]
    """Where each heading is now, as path#anchor, by the anchor that it had on the page."""


@cache
def split(page: str) -> SplitPage:
    """Returns the parts of a page of SPLIT. A section that no part takes stays on the index."""
    text = re.sub(r"(?m)^# (?=engine\.json)", "## ", (DOCS / page).read_text(encoding="utf-8"))
    first, *rest = HEADING.split(text)
    folder = page.removesuffix(".md")
    titles = {name: title for name, (title, _) in SPLIT[page].items()}
    kept, places = [first.rstrip()], dict[str, str]()
    taken: dict[str, list[str]] = {}
    lines: dict[str, list[str]] = {}
    own: dict[str, set[str]] = {}
    stays = set[str]()
    for heading, body in zip(rest[::2], rest[1::2], strict=True):
        name = next((name for name, (_, fits) in SPLIT[page].items() if re.match(fits, heading)), "")
        section = f"## {heading}{body}".rstrip()
        if not name:
            kept.append(section)
            stays.add(anchor_of(heading))
            continue
        taken.setdefault(name, []).append(body.strip() if heading == titles[name] else section)
        old = []
        for found in ANY_HEADING.findall(section):
            here = _free(anchor_of(found), own.setdefault(name, set()))
            old.append(_free(anchor_of(found), {*places, *stays}))
            places[old[-1]] = f"{folder}/{name}.md#{here}"
            own[name].add(here)
        anchors = "".join(f'<a id="{each}"></a>' for each in old)
        lines.setdefault(name, []).append(f"* {anchors}[{heading}]({places[old[0]]})")
    kept.extend(f"**[{titles[name]}]({folder}/{name}.md)**\n\n" + "\n".join(found) for name, found in lines.items())
    parts = {
        f"{folder}/{name}.md": f"# {titles[name]}\n\n" + "\n\n".join(found) + "\n" for name, found in taken.items()
    }
    return SplitPage("\n\n".join(kept) + "\n", parts, {f"{folder}/{name}.md": titles[name] for name in taken}, places)


def anchor_of(heading: str) -> str:
    """Returns the anchor that the site gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def _free(anchor: str, known: Container[str]) -> str:
    """Returns the anchor as the site numbers the second one of a name."""
    count = 1
    while (numbered := anchor if count == 1 else f"{anchor}_{count - 1}") in known:
        count += 1
    return numbered


def generated() -> Iterator[tuple[str, str]]:
    """Yields the path of each part, and its text, with links as they are from there."""
    for page in SPLIT:
        for path, text in split(page).parts.items():
            yield path, sections_linked(_moved(text, page))


def sections_linked(text: str, up: str = "../") -> str:
    """Returns a part of the specification with each field that is a section linked to that section."""
    own = {anchor_of(heading) for heading in ANY_HEADING.findall(text)}
    places, lines, section = split("spec.md").places, list[str](), ""
    for line in text.splitlines():
        if heading := re.match(r"#+ `?([^`]+)`?", line):
            section = f"{heading[1]}." if line.startswith(("## `", "### `")) else ""
        field = re.match(r"\| `(\w+)` \| (list of )?section", line)
        names = [section + field[1], f"{section}{field[1]}[]"] if field else []
        anchor = next((found for found in map(anchor_of, names) if found in own or found in places), "")
        to = f"#{anchor}" if anchor in own else f"{up}{places.get(anchor, '')}"
        lines.append(re.sub(r"section", f"[section]({to})", line, count=1) if anchor else line)
    return "\n".join(lines) + "\n"


def _moved(text: str, page: str) -> str:
    """Returns the text with links that lead where they did from the page that it was on."""

    def link(found: re.Match[str]) -> str:
        target = found[2] or page
        if target == page and (place := split(page).places.get((found[3] or "#")[1:])):
            return f"{found[1]}../{place}{found[4]}"
        return f"{found[1]}../{target}{found[3] or ''}{found[4]}"

    return LINK.sub(link, text)


def links_led_on(markdown: str, page: str) -> str:
    """Returns a page's text with each link to a section of a split page as one to the part that has it."""
    up = "../" * page.count("/")
    here = {f"{up}{each}": each for each in SPLIT} | ({"": page} if page in SPLIT else {})

    def link(found: re.Match[str]) -> str:
        target = here.get(found[2])
        place = split(target).places.get((found[3] or "#")[1:]) if target else None
        return f"{found[1]}{up}{place}{found[4]}" if place else found[0]

    return LINK.sub(link, markdown)
