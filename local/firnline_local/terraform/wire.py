"""The messages of Terraform's plugin protocol 6 (docs/plugin-protocol/tfplugin6.proto of hashicorp/terraform), as far as a
provider of resources needs them: message, field, number, type.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FIELD = descriptor_pb2.FieldDescriptorProto
MESSAGES = {
    "DynamicValue": "msgpack 1 bytes, json 2 bytes",
    "Step": "attribute_name 1 string, element_key_string 2 string, element_key_int 3 int64",
    "AttributePath": "steps 1 *Step",
    "Diagnostic": "severity 1 int32, summary 2 string, detail 3 string, attribute 4 AttributePath",
    "RawState": "json 1 bytes",
    "Attribute": "name 1 string, type 2 bytes, required 4 bool, optional 5 bool, computed 6 bool",
    "NestedBlock": "type_name 1 string, block 2 Block, nesting 3 int32, min_items 4 int64, max_items 5 int64",
    "Block": "version 1 int64, attributes 2 *Attribute, block_types 3 *NestedBlock",
    "Schema": "version 1 int64, block 2 Block",
    "SchemaEntry": "key 1 string, value 2 Schema",
    "Empty": "",
    "SchemaResponse": "provider 1 Schema, resource_schemas 2 *SchemaEntry, diagnostics 4 *Diagnostic",
    "ConfigRequest": "config 1 DynamicValue",
    "ConfigureRequest": "terraform_version 1 string, config 2 DynamicValue",
    "ValidateRequest": "type_name 1 string, config 2 DynamicValue",
    "ConfigResponse": "diagnostics 2 *Diagnostic",
    "DiagnosticsResponse": "diagnostics 1 *Diagnostic",
    "UpgradeRequest": "type_name 1 string, version 2 int64, raw_state 3 RawState",
    "UpgradeResponse": "upgraded_state 1 DynamicValue, diagnostics 2 *Diagnostic",
    "ReadRequest": "type_name 1 string, current_state 2 DynamicValue, private 3 bytes",
    "ReadResponse": "new_state 1 DynamicValue, diagnostics 2 *Diagnostic, private 3 bytes",
    "PlanRequest": (
        "type_name 1 string, prior_state 2 DynamicValue, proposed_new_state 3 DynamicValue, config 4 DynamicValue, "
        "prior_private 5 bytes"
    ),
    "PlanResponse": (
        "planned_state 1 DynamicValue, requires_replace 2 *AttributePath, planned_private 3 bytes, "
        "diagnostics 4 *Diagnostic, legacy_type_system 5 bool"
    ),
    "ApplyRequest": (
        "type_name 1 string, prior_state 2 DynamicValue, planned_state 3 DynamicValue, config 4 DynamicValue, "
        "planned_private 5 bytes"
    ),
    "ApplyResponse": (
        "new_state 1 DynamicValue, private 2 bytes, diagnostics 3 *Diagnostic, legacy_type_system 4 bool"
    ),
    "ImportRequest": "type_name 1 string, id 2 string",
    "ImportedResource": "type_name 1 string, state 2 DynamicValue, private 3 bytes",
    "ImportResponse": "imported_resources 1 *ImportedResource, diagnostics 2 *Diagnostic",
    "StopResponse": "Error 1 string",
}
CALLS = {
    "GetProviderSchema": ("Empty", "SchemaResponse"),
    "ValidateProviderConfig": ("ConfigRequest", "ConfigResponse"),
    "ValidateResourceConfig": ("ValidateRequest", "DiagnosticsResponse"),
    "UpgradeResourceState": ("UpgradeRequest", "UpgradeResponse"),
    "ConfigureProvider": ("ConfigureRequest", "DiagnosticsResponse"),
    "ReadResource": ("ReadRequest", "ReadResponse"),
    "PlanResourceChange": ("PlanRequest", "PlanResponse"),
    "ApplyResourceChange": ("ApplyRequest", "ApplyResponse"),
    "ImportResourceState": ("ImportRequest", "ImportResponse"),
    "StopProvider": ("Empty", "StopResponse"),
}
PACKAGE, SERVICE = "firnline.tfplugin6", "tfplugin6.Provider"


def _classes() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="firnline_tfplugin6.proto", package=PACKAGE, syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for said in filter(None, fields.split(", ")):
            _add_field(message, *said.split())
        if name == "Step":  # which of the three is set has to be seen, also where its value is empty
            message.oneof_decl.add(name="selector")
            for field in message.field:
                field.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in MESSAGES}


def _add_field(message: Any, name: str, number: str, type_: str) -> None:
    label = FIELD.LABEL_REPEATED if type_.startswith("*") else FIELD.LABEL_OPTIONAL
    field = message.field.add(name=name, number=int(number), label=label)
    if (type_ := type_.lstrip("*")) in MESSAGES:
        field.type, field.type_name = FIELD.TYPE_MESSAGE, f".{PACKAGE}.{type_}"
    else:
        field.type = getattr(FIELD, f"TYPE_{type_.upper()}")


CLASSES = _classes()


def message(name: str, /, **fields: Any) -> Any:
    return CLASSES[name](**fields)
