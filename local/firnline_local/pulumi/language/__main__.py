"""`python -m firnline_local.pulumi.language [ENGINE]`: started by the engine, by way of the Pulumi home."""

import sys

from firnline_local.pulumi.parent import end_with_parent

if __name__ == "__main__":
    end_with_parent()
    from firnline_local.pulumi.language.host import serve

    serve(engine=next((argument for argument in sys.argv[:0:-1] if not argument.startswith("-")), ""))
