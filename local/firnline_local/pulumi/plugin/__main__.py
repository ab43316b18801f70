"""Run by the engine, with the provider's name and its own address; says its port on stdout."""

import sys

from firnline_local.exit_with_parent import exit_when_parent_is_gone

exit_when_parent_is_gone()

from firnline_local.pulumi.plugin.server import main  # noqa: E402 (the engine may end while this loads)

sys.exit(main(sys.argv[1:]))
