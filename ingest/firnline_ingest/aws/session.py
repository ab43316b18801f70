"""botocore sessions that share what botocore knows of AWS: to read it anew is most of what a client costs to make.

A client of a service that the process has a client of takes 12 to 30 ms of CPU so, and 95 ms otherwise.
"""

from functools import cache

from botocore.loaders import Loader, create_loader
from botocore.session import Session


def new_session(profile: str | None = None) -> Session:
    """A session of its own, for credentials and settings; botocore only reads the descriptions of the services."""
    session = Session(profile=profile)
    session.lazy_register_component("data_loader", lambda: _descriptions(session.get_config_variable("data_path")))
    return session


@cache
def _descriptions(search_path: str | None) -> Loader:
    return create_loader(search_path)
