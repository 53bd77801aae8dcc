"""The rating protocols: base.py and one file a protocol, all plain Python."""
