"""Takes the documentation's pictures of the status page in headless Chromium: python -m docs.tools.screenshots.

The page is the product's own, of a status that tests use as well. What Chromium draws differs from machine to machine, so no
test compares the pictures.
"""

from pathlib import Path

from firnline_infra.status.server import StatusServer
from tests.browser import Browser
from tests.infra.status import sample

IMAGES = Path(__file__).parents[1] / "images"
WRONG = sample.status(sample.REFUSED, sample.THROTTLED)
PICTURES = {
    "status-light.png": (sample.good(), 1280, 1180, False),
    "status-dark.png": (sample.good(), 1280, 1180, True),
    "status-problems.png": (WRONG, 1280, 760, False),
    "status-thousand-shards.png": (sample.status(shards=sample.many()), 1280, 820, True),
}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with Browser.opened() as browser:
        for name, (status, width, height, is_dark) in PICTURES.items():
            with StatusServer(sample.SampleReader.of(status)) as page:
                browser.sized(width, height, is_dark=is_dark).visit(
                    page.url, until="document.querySelector('#figures div')"
                )
                browser.picture(IMAGES / name)


if __name__ == "__main__":
    main()
