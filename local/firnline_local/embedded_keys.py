"""An embedded environment has a key pair for each of its users, so a specification without keys can be tried in it.

What it has is written as `firnline keys` would, beside a copy of the specification inside the environment's folder.
"""

import shutil
from pathlib import Path

from firnline_infra.keys.file import ReviewedFile
from firnline_infra.specification import load_spec
from firnline_infra.specification.aws import Trust
from firnline_infra.specification.keys_file import USERS, UserKeys
from firnline_infra.specification.public_key import public_key_body
from firnline_infra.specification.snowflake import PublicKeys
from firnline_local.running import RunningEnvironment


def with_embedded_keys(spec_file: Path, environment: RunningEnvironment) -> Path:
    """The specification to use: the file itself, unless its engine has its key on its machine and none is given."""
    spec = load_spec(spec_file)
    lacking = [user for user in USERS if getattr(spec.snowflake, user).public_keys == PublicKeys()]
    if not lacking or spec.aws.runtime.trust is not Trust.NOBODY:
        return spec_file
    folder = environment.folder.engine / "pulumi" / "specification"
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / spec_file.name
    shutil.copyfile(spec_file, copy)
    keys = ReviewedFile.beside(copy)
    for user in lacking:
        public = (environment.folder.keys / f"{user}.pub.pem").read_text(encoding="ascii")
        keys.put(user, UserKeys(slot_1=public_key_body(public)))
    return copy
