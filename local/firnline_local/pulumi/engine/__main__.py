"""Run by the engine, with the plugin's name and its own address; says its port on stdout."""

import gc
import sys

from firnline_local.exit_with_parent import exit_when_parent_is_gone

exit_when_parent_is_gone()
gc.disable()  # while modules are loaded, which is most of what a plugin does: a fifth of that time

if sys.argv[1:2] == ["python"]:
    from firnline_local.pulumi.engine.language_host import main
else:
    from firnline_local.pulumi.engine.server import main

gc.freeze()
gc.enable()
sys.exit(main(sys.argv[1:]))
