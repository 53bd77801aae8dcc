"""Shared parts of the demos; the demo of a protocol is its module `demo`."""
