"""The four bytes that every frame of MPEG audio layer III begins with (ISO/IEC 11172-3 2.4.1.3, 13818-3, MPEG 2.5)."""

from dataclasses import dataclass

KIND_MASK = 0xFFFE0C00  # sync, version, layer, sample rate: what never changes inside one stream
RATES_HZ = (44100, 48000, 32000, 0)
# kbit/s by index: MPEG-1, then MPEG-2 and 2.5. 0 is free format, 15 is forbidden; neither is taken.
KBITS = (
    (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
)


@dataclass(frozen=True)
class Header:
    word: int

    @property
    def kind(self) -> int:
        return self.word & KIND_MASK

    @property
    def is_mpeg_1(self) -> bool:
        return self.word >> 19 & 3 == 3

    @property
    def sample_rate_hz(self) -> int:
        return RATES_HZ[self.word >> 10 & 3] // {3: 1, 2: 2, 0: 4}[self.word >> 19 & 3]

    @property
    def channels(self) -> int:
        return 1 if self.word >> 6 & 3 == 3 else 2

    @property
    def samples_per_frame(self) -> int:
        return 1152 if self.is_mpeg_1 else 576

    @property
    def side_bytes(self) -> int:
        """How long the side information is that follows the header (2.4.1.7)."""
        if self.is_mpeg_1:
            return 17 if self.channels == 1 else 32
        return 9 if self.channels == 1 else 17

    @property
    def reservoir_bytes(self) -> int:
        """How far back a frame's data may begin: main_data_begin has 9 bits, 8 in MPEG-2."""
        return 511 if self.is_mpeg_1 else 255

    def with_kbits(self, index: int) -> "Header":
        """The header of a frame of this kind with another bit rate, without checksum and padding."""
        return Header((self.word | 1 << 16) & ~(0xF << 12) & ~(1 << 9) | index << 12)
