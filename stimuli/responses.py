"""HTTP responses with audio: byte ranges, and the same headers for every sound, so that none identifies a file."""

import re
from collections.abc import Iterator
from urllib.parse import quote

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.http_errors import invalid_request, json_error
from stimuli import storage
from stimuli.services import delivery, tiles
from stimuli.services.sources import Source
from stimuli.services.tiles import Picture

ONE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
# A finished picture never changes, nor does a slice; a day is as good as for ever, and ends.
KEPT = "private, max-age=86400"
NOT_KEPT = "private, no-store"


def send_manifest(source: Source, **also: object) -> HttpResponse:
    return JsonResponse(delivery.manifest(source=source) | also, headers={"Cache-Control": NOT_KEPT})


def send_peaks(request: HttpRequest, source: Source, level: int) -> HttpResponse:
    asked = _numbers(request, start=0, count=tiles.MOST_BINS)
    return _send_picture(tiles.peaks(source=source, level=level, **asked), "application/octet-stream")


def send_tile(source: Source, statistic: str, level: int, index: int) -> HttpResponse:
    return _send_picture(tiles.tile(source=source, statistic=statistic, level=level, index=index), "image/jpeg")


def send_slice(request: HttpRequest, source: Source) -> HttpResponse:
    asked = _numbers(request, start=0, count=source.longest_slice_samples)
    cut = delivery.slice_of(source=source, **asked)
    # Going back to what was heard costs nothing; the address of a participant's sound ends long before a day.
    told = {"Earmark-Lead": str(cut.lead_samples), "Earmark-Length": str(cut.length_samples), "Cache-Control": KEPT}
    return HttpResponse(cut.content, content_type="application/octet-stream", headers=told)


def send_clip(request: HttpRequest, name: str) -> HttpResponseBase:
    """The whole served file or one range of it; by nginx, where there is one that can reach the file."""
    if settings.X_ACCEL_PREFIX and storage.in_folder():
        headers = {"X-Accel-Redirect": settings.X_ACCEL_PREFIX + quote(name), "Cache-Control": NOT_KEPT}
        return HttpResponse(content_type="audio/wav", headers=headers)
    byte_count = storage.byte_count(name)
    try:
        asked = _range(request.headers.get("Range", ""), byte_count)
    except AppError as error:
        return json_error(error, headers={"Content-Range": f"bytes */{byte_count}", "Cache-Control": NOT_KEPT})
    start, stop = asked or (0, byte_count)
    headers = {"Content-Length": str(stop - start), "Accept-Ranges": "bytes", "Cache-Control": NOT_KEPT}
    if asked:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{byte_count}"
    content: Iterator[bytes] = iter(()) if request.method == "HEAD" else storage.blocks(name, start, stop)
    return StreamingHttpResponse(content, content_type="audio/wav", status=206 if asked else 200, headers=headers)


def send_peaks_file(source: Source, level: int) -> HttpResponseBase:
    """A level of the peaks for other programs, under a name that says what it is and not whose."""
    byte_count, content = tiles.peaks_file(source=source, level=level)
    headers = {
        "Content-Length": str(byte_count),
        "Content-Disposition": f'attachment; filename="peaks-{level}.dat"',
        "Cache-Control": NOT_KEPT,
    }
    return StreamingHttpResponse(content, content_type="application/octet-stream", headers=headers)


def _send_picture(picture: Picture, media_type: str) -> HttpResponse:
    response = HttpResponse(picture.content, content_type=media_type)
    response.headers["Cache-Control"] = KEPT if picture.complete else NOT_KEPT
    if not picture.complete:
        response.headers["Earmark-Complete"] = "no"
    return response


def _range(header: str, byte_count: int) -> tuple[int, int] | None:
    """The one range asked for, as start and stop (RFC 9110); None means everything.

    Several ranges at once and what cannot be read count as not having asked.
    """
    found = ONE_RANGE.fullmatch(header.strip())
    first, last = found.groups() if found else ("", "")
    if first:
        start, stop = int(first), int(last) + 1 if last else byte_count
    elif last:
        start, stop = max(byte_count - int(last), 0), byte_count
    else:
        return None
    if first and last and int(last) < int(first):
        return None
    if start >= byte_count:
        raise AppError(
            "sound.bytes_outside",
            416,
            _("The clip has {byte_count} bytes; ask for a range that begins before its end."),
            byte_count=byte_count,
        )
    return start, min(stop, byte_count)


def _numbers(request: HttpRequest, **defaults: int) -> dict[str, int]:
    """Whole numbers from the address; int64 positions come as decimal digits and nothing else."""
    asked = {name: request.GET.get(name, str(default)) for name, default in defaults.items()}
    wrong = {name: ["Give a whole number."] for name, text in asked.items() if not re.fullmatch(r"[0-9]{1,15}", text)}
    if wrong:
        raise invalid_request(fields=wrong)
    return {name: int(text) for name, text in asked.items()}
