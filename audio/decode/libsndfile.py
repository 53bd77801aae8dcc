"""libsndfile readers that seek only when told to, from a file and from memory."""

import io
from typing import Any

import numpy as np
import soundfile
from numba import carray, cfunc  # type: ignore[attr-defined]
from soundfile import _ffi, _snd


class Decoder(soundfile.SoundFile):  # type: ignore[misc]
    """A reader that moves only when it is told to.

    soundfile seeks after every read to where it already is. libFLAC then decodes a frame again, and libmpg123 starts
    anew, with other rounding and, at low bit rates, without the data that a frame needs from those before it.
    """

    def seekable(self) -> bool:
        return False


class MemoryDecoder(Decoder):
    """A reader of bytes in memory.

    libmpg123 asks for them twice a frame, 275,000 times an hour. Answering in Python was an eighth of all decoding, so
    the answers are compiled. They find everything in one array: their position, the length, and the bytes.
    """

    def __init__(self, content: bytes) -> None:
        self._memory = np.empty(HEAD_BYTES + len(content), np.uint8)
        self._memory[:HEAD_BYTES].view(np.int64)[:] = 0, len(content)
        self._memory[HEAD_BYTES:] = np.frombuffer(content, np.uint8)
        super().__init__(io.BytesIO())  # never read

    def _open(self, _file: Any, mode: int, _closefd: bool) -> Any:
        place = _ffi.cast("void*", self._memory.ctypes.data)
        with self._sf_error_lock:
            opened = _snd.sf_open_virtual(_ANSWERS, mode, self._info, place)
            if opened == _ffi.NULL:
                raise soundfile.LibsndfileError(_snd.sf_error(opened))
        return opened


HEAD_BYTES = 16  # two whole numbers: the position and the length
FROM_HERE, FROM_END = 1, 2  # as in io.SEEK_CUR and io.SEEK_END


@cfunc("int64(voidptr)", cache=True)
def _length(place: Any) -> Any:
    return carray(place, 2, np.int64)[1]


@cfunc("int64(voidptr)", cache=True)
def _position(place: Any) -> Any:
    return carray(place, 2, np.int64)[0]


@cfunc("int64(int64, int32, voidptr)", cache=True)
def _move(offset: Any, whence: Any, place: Any) -> Any:
    head = carray(place, 2, np.int64)
    if whence == FROM_HERE:
        offset += head[0]
    elif whence == FROM_END:
        offset += head[1]
    head[0] = min(max(offset, 0), head[1])
    return head[0]


@cfunc("int64(CPointer(uint8), int64, voidptr)", cache=True)
def _read(target: Any, count: Any, place: Any) -> Any:
    head = carray(place, 2, np.int64)
    start = HEAD_BYTES + head[0]
    count = max(min(count, head[1] - head[0]), 0)
    content = carray(place, start + count, np.uint8)
    for i in range(count):
        target[i] = content[start + i]
    head[0] += count
    return count


_ANSWERS = _ffi.new(
    "SF_VIRTUAL_IO*",
    {
        "get_filelen": _ffi.cast("sf_vio_get_filelen", _length.address),
        "seek": _ffi.cast("sf_vio_seek", _move.address),
        "read": _ffi.cast("sf_vio_read", _read.address),
        "tell": _ffi.cast("sf_vio_tell", _position.address),
    },
)
