"""The demo experiments: one module a protocol, found by the name of the protocol."""
