"""Promises that hold for every module, document, protocol and route."""
