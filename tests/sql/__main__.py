"""python -m tests.sql FOLDER: adds what a run of the suite recorded in the folder to the corpus."""

import sys
from pathlib import Path

from tests.sql.corpus import FILE, add, of_lines, recorded

if __name__ == "__main__":
    print(f"{add(of_lines(recorded(Path(sys.argv[1]))))} new shapes in {FILE}")
