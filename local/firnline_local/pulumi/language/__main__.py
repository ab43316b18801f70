"""`python -m firnline_local.pulumi.language [ENGINE]`: started by the engine, by way of the Pulumi home."""

import sys

from firnline_local.exit_with_parent import exit_when_parent_is_gone

if __name__ == "__main__":
    exit_when_parent_is_gone()
    from firnline_local.pulumi.language.host import serve

    serve(engine=next((argument for argument in sys.argv[:0:-1] if not argument.startswith("-")), ""))
