"""Designs as files in the shape that the authors of UDASE published."""
