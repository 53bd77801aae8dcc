"""libsndfile as it is used here."""

import soundfile


class Decoder(soundfile.SoundFile):  # type: ignore[misc]
    """A reader that moves only when it is told to.

    soundfile seeks after every read to where it already is. libFLAC then decodes a frame again, and libmpg123 starts
    anew, with other rounding and, at low bit rates, without the data that a frame needs from those before it.
    """

    def seekable(self) -> bool:
        return False
