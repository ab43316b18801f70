"""The bootstrap: what must exist before the first `up` of an environment, rendered for whoever may make it, and may review it."""

from firnline_infra.render.bootstrap import snowflake
from firnline_infra.render.bootstrap.settings import settings_file
from firnline_infra.render.bootstrap.template import Template, template

__all__ = ["Template", "settings_file", "snowflake", "template"]
