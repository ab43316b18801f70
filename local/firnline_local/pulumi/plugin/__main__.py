"""Run by the engine, with the provider's name and its own address; says its port on stdout."""

import sys

from firnline_local.pulumi.parent import end_with_parent

end_with_parent()

from firnline_local.pulumi.plugin.server import main  # noqa: E402 (the engine may end while this loads)

sys.exit(main(sys.argv[1:]))
