"""Protocol Buffers: schemas as registries hold them, the message that a record names, and its values as JSON."""
