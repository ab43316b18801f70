"""README.md as an index shows it: what is a relative link or image in the repository leads into the repository of this version.

Called by hatchling, for the metadata of the package `firnline`.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

RELATIVE = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)")
REPOSITORY = "firnline/firnline"


class Readme(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        readme = for_an_index(text, f"v{metadata['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}


def for_an_index(markdown: str, tag: str) -> str:
    """Names each relative link by its address at the tag; images by that of their bytes."""

    def absolute(found: re.Match[str]) -> str:
        is_image, text, path = found.groups()
        base = (
            f"https://raw.githubusercontent.com/{REPOSITORY}/{tag}"
            if is_image
            else f"https://github.com/{REPOSITORY}/blob/{tag}"
        )
        return f"{is_image}[{text}]({base}/{path})"

    return RELATIVE.sub(absolute, markdown)
