"""Waveforms and spectrograms of any length, in levels, chunks and tiles."""
