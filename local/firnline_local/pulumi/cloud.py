"""The embedded environment as one configured provider: check, diff, create, read, update, delete, invoke.

Both the plugins of the real engine and the application in process speak to it, so that a program meets the same cloud by
either way. Values are plain; what a service refuses is raised as ServiceRefused.
"""

import random
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from firnline_local.endpoints import Endpoints, Login
from firnline_local.errors import UnknownTypeToken
from firnline_local.folder import Folder
from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource
from firnline_local.providers.registry import kind_of
from firnline_local.pulumi.coerce import coerced_inputs
from firnline_local.pulumi.configuration import Configuration, configuration_of, plain, problems_of
from firnline_local.pulumi.diff import Change, changes, inputs_as_found, wanted
from firnline_local.pulumi.errors import ConfigurationRefused
from firnline_local.pulumi.property_names import SPELT
from firnline_local.pulumi.refusal import readable
from firnline_local.pulumi.schema import fields_of, made_up_of
from firnline_local.pulumi.validate import check_inputs

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

Values = Mapping[str, Any]
HEX, SUFFIX_LENGTH = "0123456789abcdef", 7
USER = "firnline-local"
FUNCTIONS = ("getCallerIdentity", "getPartition", "getRegion")


@dataclass(frozen=True, slots=True)
class ResourceReading:
    """Result of a read: the properties, and the inputs that would lead to them."""

    id: str
    """A resource may be looked for by another one while it is imported."""
    properties: dict[str, Any]
    inputs: dict[str, Any]


class Cloud:
    def __init__(self, package: str, environment: "RunningEnvironment") -> None:
        self.package = package
        self._environment = environment
        self._configuration = Configuration()
        self._clients = Clients(environment.endpoints, environment.logins["admin"])
        # One session of Snowflake serves all; statements of two resources must not come between each other's.
        self._lock: AbstractContextManager[object] = Lock() if package == "snowflake" else nullcontext()

    @property
    def folder(self) -> Folder:
        """The environment's."""
        return self._environment.folder

    def configuration_problems(self, values: Values) -> list[str]:
        return problems_of(self.package, plain(self.package, values), self._environment.state)

    def configure(self, values: Values) -> None:
        """Raises ConfigurationRefused."""
        if problems := self.configuration_problems(values):
            raise ConfigurationRefused(self.package, problems)
        self._configuration = configuration_of(plain(self.package, values))
        self.close()
        self._clients = Clients(self._environment.endpoints, self._login(), warehouse=self._configuration.warehouse)

    def check(
        self, token: str, inputs: Values, *, old: Values, proposed_name: str, secrets: Collection[str] = ()
    ) -> tuple[dict[str, Any], list[str]]:
        """The inputs as the other calls take them, and what is wrong with them. Raises UnknownTypeToken."""
        kind_of(token)
        features = self._configuration.preview_features
        problems = check_inputs(token, inputs, preview_features=features, secrets=secrets)
        if problems:
            return dict(inputs), problems
        checked = coerced_inputs(token, inputs)
        made_up = made_up_of(token)
        if made_up and checked.get(made_up) is None and not _is_excluded(made_up, token, checked):
            spelt = SPELT.get(token, str)(proposed_name) if proposed_name else ""
            checked[made_up] = old.get(made_up) or spelt
        if made_up and checked.get(made_up) == "":
            return checked, [f"{made_up}: is required, because the stack's autonaming is off."]
        tags = self._configuration.default_tags
        if tags and "tags" in fields_of(token):
            checked["tags"] = {**tags, **(checked.get("tags") or {})}
        return checked, []

    def diff(self, token: str, *, old: Values, state: Values, new: Values) -> list[Change]:
        return changes(token, kind_of(token).rules, old=old, state=state, new=new)

    def create(self, token: str, name: str, inputs: Values) -> CreatedResource:
        with self._asking(token, name):
            made = kind_of(token).create(inputs, self._clients)
        return replace(made, properties={**inputs, **made.properties})

    def read(self, token: str, name: str, id_: str, *, inputs: Values, properties: Values) -> ResourceReading | None:
        """Returns None if it is gone."""
        with self._asking(token, name):
            there = kind_of(token).read(id_, properties, self._clients)
        if there is None:
            return None
        as_found = inputs_as_found(token, kind_of(token).rules, inputs=inputs, found=there)
        return ResourceReading(there.get("id") or id_, dict(there), as_found)

    def update(self, token: str, name: str, id_: str, *, old: Values, new: Values) -> dict[str, Any]:
        asked = wanted(token, kind_of(token).rules, old=old, new=new)
        with self._asking(token, name):
            return {**new, **kind_of(token).update(id_, old, asked, self._clients)}

    def delete(self, token: str, name: str, id_: str, properties: Values) -> None:
        with self._asking(token, name):
            kind_of(token).delete(id_, properties, self._clients)

    def invoke(self, token: str) -> dict[str, Any]:
        """Calls a function that takes no arguments. Raises UnknownTypeToken."""
        return _invoke(token, self._environment.endpoints)

    def close(self) -> None:
        self._clients.close()

    @contextmanager
    def _asking(self, token: str, name: str) -> Iterator[None]:
        with self._lock, readable(token, name):
            yield

    def _login(self) -> Login:
        """The administrator, unless the configuration names another user of the environment, or a role."""
        logins, user, role = self._environment.logins, self._configuration.user, self._configuration.role
        login = next((each for each in logins.values() if each.user == user), logins["admin"])
        return replace(login, role=role or login.role)


def made_up_name(name: str, seed: bytes) -> str:
    """A name like the stock providers': the logical name and seven hexadecimal digits."""
    digits = random.Random(seed)  # noqa: S311 (a name, not a secret)
    return f"{name}-" + "".join(digits.choices(HEX, k=SUFFIX_LENGTH))


def _is_excluded(made_up: str, token: str, inputs: Values) -> bool:
    """Returns whether another input, such as a prefix, says how the service names the resource."""
    groups = [group for group in kind_of(token).rules.conflicts if made_up in group]
    return any(inputs.get(other) is not None for group in groups for other in group)


def _invoke(token: str, endpoints: Endpoints) -> dict[str, Any]:
    """Answers the functions of pulumi-aws that ask nothing of a service. The account is the specification's."""
    match token:
        case "aws:index/getCallerIdentity:getCallerIdentity":
            account = endpoints.aws_account
            arn = f"arn:aws:iam::{account}:user/{USER}"
            return {"id": account, "accountId": account, "arn": arn, "userId": USER}
        case "aws:index/getRegion:getRegion":
            region = endpoints.region
            return {"id": region, "name": region, "region": region, "description": region, "endpoint": endpoints.aws}
        case "aws:index/getPartition:getPartition":
            return {
                "id": "aws",
                "partition": "aws",
                "dnsSuffix": "amazonaws.com",
                "reverseDnsPrefix": "com.amazonaws",
            }
        case _:
            raise UnknownTypeToken(token, known=[f"aws:index/{name}:{name}" for name in FUNCTIONS])
