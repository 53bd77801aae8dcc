"""Audio library: decoding, validation, measurement, visualisation and slicing of sound, and a sandbox to do it in."""
