"""The analysis methods: base.py and one file a method, all pure."""
