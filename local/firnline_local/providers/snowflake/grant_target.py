"""What a grant is on: in Pulumi's words, in SQL's, and as the end of the stock provider's id."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from firnline_local.providers.kind import Properties
from firnline_local.providers.snowflake.sql import requoted

ACCOUNT, ACCOUNT_OBJECT, SCHEMA, SCHEMA_OBJECT = "OnAccount", "OnAccountObject", "OnSchema", "OnSchemaObject"
SCHEMA_INPUTS = {
    "schemaName": "OnSchema",
    "futureSchemasInDatabase": "OnFutureSchemasInDatabase",
    "allSchemasInDatabase": "OnAllSchemasInDatabase",
}
QUANTITIES = {"all": ("OnAll", "ALL"), "future": ("OnFuture", "FUTURE")}
CONTAINERS = {"inDatabase": ("InDatabase", "DATABASE"), "inSchema": ("InSchema", "SCHEMA")}


@dataclass(frozen=True, slots=True)
class Target:
    sql: str
    """What stands behind ON."""
    id: tuple[str, ...]
    """The last parts of the grant's id."""
    future_in: str = ""
    """`SCHEMA "D"."S"` or `DATABASE "D"` for a grant on future objects."""
    is_readable: bool = True
    """A grant on all objects can't be read back: which ones were there is not recorded."""

    @property
    def shown(self) -> str:
        """What SHOW says to list the grants on it."""
        return f"FUTURE GRANTS IN {self.future_in}" if self.future_in else f"GRANTS ON {self.sql}"

    def covers(self, grant_on: str | None) -> bool:
        """Whether a future grant on this kind is meant: the list has those on other kinds, too. It names one object."""
        return grant_on is None or self.sql.startswith((f"FUTURE {grant_on}S ", f"FUTURE {grant_on[:-1]}IES "))

    @classmethod
    def of(cls, inputs: Properties) -> Self:
        """From the inputs of grantPrivilegesToAccountRole."""
        if inputs.get("onAccountObject"):
            found = inputs["onAccountObject"]
            kind, name = found["objectType"].upper(), requoted(found["objectName"])
            return cls(f"{kind} {name}", (ACCOUNT_OBJECT, kind, name))
        if inputs.get("onSchema"):
            return cls._on_schema(inputs["onSchema"])
        if inputs.get("onSchemaObject"):
            found = cls.on_objects(inputs["onSchemaObject"])
            return cls(found.sql, (SCHEMA_OBJECT, *found.id), found.future_in, found.is_readable)
        return cls("ACCOUNT", (ACCOUNT,))

    @classmethod
    def on_objects(cls, on: Properties) -> Self:
        """From `onSchemaObject`, and from the `on` of grantOwnership."""
        for quantity, (id_, word) in QUANTITIES.items():
            if on.get(quantity):
                plural = on[quantity]["objectTypePlural"].upper()
                place, (place_id, place_word) = next((k, v) for k, v in CONTAINERS.items() if on[quantity].get(k))
                name = requoted(on[quantity][place])
                future_in = f"{place_word} {name}" if quantity == "future" else ""
                return cls(
                    f"{word} {plural} IN {place_word} {name}", (id_, plural, place_id, name), future_in, word != "ALL"
                )
        kind, name = on["objectType"].upper(), requoted(on["objectName"])
        return cls(f"{kind} {name}", ("OnObject", kind, name))

    @classmethod
    def _on_schema(cls, on: Properties) -> Self:
        given, id_ = next((name, id_) for name, id_ in SCHEMA_INPUTS.items() if on.get(name))
        name = requoted(on[given])
        match given:
            case "futureSchemasInDatabase":
                return cls(f"FUTURE SCHEMAS IN DATABASE {name}", (SCHEMA, id_, name), f"DATABASE {name}")
            case "allSchemasInDatabase":
                return cls(f"ALL SCHEMAS IN DATABASE {name}", (SCHEMA, id_, name), is_readable=False)
            case _:
                return cls(f"SCHEMA {name}", (SCHEMA, id_, name))


def inputs_of(target: Sequence[str]) -> dict[str, Any]:
    """What grantPrivilegesToAccountRole was given, from the last parts of its id."""
    match target:
        case (kind,) if kind == ACCOUNT:
            return {"onAccount": True}
        case (kind, object_type, name) if kind == ACCOUNT_OBJECT:
            return {"onAccountObject": {"objectType": object_type, "objectName": name}}
        case (kind, id_, name) if kind == SCHEMA:
            given = next(given for given, known in SCHEMA_INPUTS.items() if known == id_)
            return {"onSchema": {given: name}}
        case _:
            return {"onSchemaObject": objects_of(target[1:])}


def objects_of(target: Sequence[str]) -> dict[str, Any]:
    if target[0] == "OnObject":
        return {"objectType": target[1], "objectName": target[2]}
    quantity = next(given for given, (id_, _) in QUANTITIES.items() if id_ == target[0])
    place = next(given for given, (id_, _) in CONTAINERS.items() if id_ == target[2])
    return {quantity: {"objectTypePlural": target[1], place: target[3]}}
