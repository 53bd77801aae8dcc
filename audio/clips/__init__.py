"""Short sounds: served in one form, levelled as copies."""
