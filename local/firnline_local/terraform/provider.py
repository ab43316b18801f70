"""A provider of Terraform over the embedded environment: decodes, asks the Cloud, encodes.

What a configuration gave is kept beside the state, as private data, so that a plan compares as Pulumi does: inputs of yesterday,
as they were found, with those of today.
"""

# ruff: noqa: N802 (the service's names are its protocol's)

import json
from collections.abc import Iterable, Mapping
from typing import Any

from firnline_ingest.errors import FirnlineError
from firnline_local.pulumi.cloud import Cloud
from firnline_local.pulumi.schema import fields_of
from firnline_local.pulumi.validate import check_inputs
from firnline_local.terraform.schema import TOKENS, schema_response
from firnline_local.terraform.values import (
    as_configuration,
    as_properties,
    as_state,
    packed,
    unpacked,
    with_unknowns,
)
from firnline_local.terraform.wire import message

ERROR = 1


class TerraformProvider:
    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def close(self) -> None:
        self._cloud.close()

    def GetProviderSchema(self, request: Any) -> Any:
        return schema_response(self._cloud.package)

    def ValidateProviderConfig(self, request: Any) -> Any:
        return message("ConfigResponse")

    def ConfigureProvider(self, request: Any) -> Any:
        try:
            self._cloud.configure(as_configuration(self._cloud.package, _value(request.config) or {}))
        except FirnlineError as error:
            return message("DiagnosticsResponse", diagnostics=_diagnostics([str(error)]))
        return message("DiagnosticsResponse")

    def ValidateResourceConfig(self, request: Any) -> Any:
        token = TOKENS[request.type_name]
        problems = check_inputs(token, as_properties(token, _value(request.config), inputs_only=True))
        return message("DiagnosticsResponse", diagnostics=_diagnostics(problems))

    def UpgradeResourceState(self, request: Any) -> Any:
        token = TOKENS[request.type_name]
        state = json.loads(request.raw_state.json)
        kept = as_state(token, state["id"], as_properties(token, state))
        return message("UpgradeResponse", upgraded_state=_dynamic(kept))

    def ReadResource(self, request: Any) -> Any:
        token, state = TOKENS[request.type_name], _value(request.current_state)
        try:
            found = self._cloud.read(
                token,
                request.type_name,
                state["id"],
                inputs=_inputs(request.private),
                properties=as_properties(token, state),
            )
        except FirnlineError as error:
            return message("ReadResponse", new_state=request.current_state, diagnostics=_diagnostics([str(error)]))
        if found is None:
            return message("ReadResponse", new_state=_dynamic(None))
        new = as_state(token, found.id, {**found.inputs, **found.properties})
        return message("ReadResponse", new_state=_dynamic(new), private=_private(found.inputs))

    def PlanResourceChange(self, request: Any) -> Any:
        token = TOKENS[request.type_name]
        prior, proposed, config = map(_value, (request.prior_state, request.proposed_new_state, request.config))
        if proposed is None:
            return message(
                "PlanResponse", planned_state=request.proposed_new_state, planned_private=request.prior_private
            )
        wanted = as_properties(token, config, inputs_only=True)
        checked, problems = self._cloud.check(token, wanted, old={}, proposed_name="")
        if problems:
            return message("PlanResponse", planned_state=request.proposed_new_state, diagnostics=_diagnostics(problems))
        if prior is None:
            planned = with_unknowns(token, proposed, config)
            return message("PlanResponse", planned_state=_dynamic(planned), legacy_type_system=True)
        old = _inputs(request.prior_private)
        changes = self._cloud.diff(token, old=old, state=as_properties(token, prior), new=checked)
        names = {name: field.attribute for name, field in fields_of(token).items()}
        planned = {**prior, **{names[each.property]: proposed[names[each.property]] for each in changes}}
        replaced = [_path(names[each.property]) for each in changes if each.replaces]
        return message(
            "PlanResponse",
            planned_state=_dynamic(planned),
            requires_replace=replaced,
            planned_private=request.prior_private,
            legacy_type_system=True,
        )

    def ApplyResourceChange(self, request: Any) -> Any:
        token, type_ = TOKENS[request.type_name], request.type_name
        prior, planned, config = map(_value, (request.prior_state, request.planned_state, request.config))
        try:
            if planned is None:
                self._cloud.delete(token, type_, prior["id"], as_properties(token, prior))
                return message("ApplyResponse", new_state=_dynamic(None), legacy_type_system=True)
            inputs, problems = self._cloud.check(
                token, as_properties(token, config, inputs_only=True), old={}, proposed_name=""
            )
            if problems:
                diagnostics = _diagnostics(problems)
                return message("ApplyResponse", new_state=request.prior_state, diagnostics=diagnostics)
            if prior is None:
                made = self._cloud.create(token, type_, inputs)
                id_, properties = made.id, made.properties
            else:
                id_, old = prior["id"], _inputs(request.planned_private)
                properties = self._cloud.update(token, type_, id_, old=old, new=inputs)
        except FirnlineError as error:
            diagnostics = _diagnostics([str(error)])
            return message("ApplyResponse", new_state=request.prior_state, diagnostics=diagnostics)
        state = as_state(token, id_, properties)
        return message("ApplyResponse", new_state=_dynamic(state), private=_private(inputs), legacy_type_system=True)

    def ImportResourceState(self, request: Any) -> Any:
        """The id alone, as most resources of the stock providers: Terraform reads the rest, and sees whether it is there."""
        state = _dynamic(as_state(TOKENS[request.type_name], request.id, {}))
        return message(
            "ImportResponse", imported_resources=[message("ImportedResource", type_name=request.type_name, state=state)]
        )

    def StopProvider(self, request: Any) -> Any:
        return message("StopResponse")


def _value(dynamic: Any) -> Any:
    return unpacked(dynamic.msgpack) if dynamic.msgpack else None


def _dynamic(value: Any) -> Any:
    return message("DynamicValue", msgpack=packed(value))


def _inputs(private: bytes) -> dict[str, Any]:
    return dict(json.loads(private)) if private else {}


def _private(inputs: Mapping[str, Any]) -> bytes:
    return json.dumps(inputs, sort_keys=True).encode()


def _path(attribute: str) -> Any:
    return message("AttributePath", steps=[message("Step", attribute_name=attribute)])


def _diagnostics(problems: Iterable[str]) -> list[Any]:
    return [message("Diagnostic", severity=ERROR, summary=problem) for problem in problems]
