"""botocore sessions that share what botocore knows of AWS: to read it anew is most of what a client costs to make.

A client of a service that the process has a client of takes 6 to 15 ms of CPU so, and 95 ms otherwise.
"""

from copy import copy
from functools import cache, lru_cache
from typing import Any

from botocore.handlers import BUILTIN_HANDLERS
from botocore.hooks import HierarchicalEmitter
from botocore.loaders import Loader, create_loader
from botocore.session import Session

from firnline_ingest.aws.endpoints import DescriptionFiles


def new_session(profile: str | None = None) -> Session:
    """A session of its own, for credentials and settings; botocore only reads the descriptions of the services."""
    session = Session(profile=profile, **own_handlers())
    session.lazy_register_component("data_loader", lambda: _descriptions(session.get_config_variable("data_path")))
    return session


def own_handlers() -> dict[str, Any]:
    """Arguments of a Session: a copy of botocore's handlers, which takes a tenth of the time that registering them does.

    Libraries that observe or stand in for AWS (tracing, moto) add theirs to the list whenever they are loaded.
    """
    return {
        "event_hooks": copy(_handlers(tuple(id(each[1]) for each in BUILTIN_HANDLERS))),
        "include_builtin_handlers": False,
    }


@lru_cache(maxsize=1)  # it keeps the handlers, so that no other one has an id of theirs
def _handlers(_ids: tuple[int, ...]) -> HierarchicalEmitter:
    emitter = HierarchicalEmitter()
    Session(event_hooks=emitter)  # registers them there
    return emitter


@cache
def _descriptions(search_path: str | None) -> Loader:
    loader = create_loader(search_path)
    loader.file_loader = DescriptionFiles()
    return loader
