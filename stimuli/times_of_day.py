"""Times of day as text (6:30, 23:30:00.25) and as seconds; forms, services and the pure import readers share it."""

import re

WRITTEN = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d{1,6})?))?")
MICROSECOND_PLACES = 6  # enough to name any single sample at 192 kHz


def seconds_of(text: str) -> float | None:
    """Read HH:MM or HH:MM:SS, with parts of a second if need be; None if it is no time. 26:00 is 2 o'clock a day on."""
    found = WRITTEN.fullmatch(text.strip())
    if found is None:
        return None
    hours, minutes, seconds = found.groups()
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds or 0)


def written(seconds: float) -> str:
    """Write seconds as HH:MM:SS, with parts of a second only where there are any."""
    whole, fraction = divmod(round(seconds * 10**MICROSECOND_PLACES), 10**MICROSECOND_PLACES)
    minutes, rest = divmod(whole, 60)
    part = f".{fraction:0{MICROSECOND_PLACES}d}".rstrip("0").rstrip(".")
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest:02d}{part}"
