"""What has to exist before the first `up` of an environment, rendered for whoever may make it, and may review it."""

from firnline_infra.blueprint.bootstrap import snowflake
from firnline_infra.blueprint.bootstrap.settings import settings_file
from firnline_infra.blueprint.bootstrap.template import Template, template
from firnline_infra.blueprint.bootstrap.workflow import workflow

__all__ = ["Template", "settings_file", "snowflake", "template", "workflow"]
