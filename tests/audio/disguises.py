"""Files that are no sound, under the names of sounds: playlists that point at a canary, pages, pictures, archives."""

import io
import zipfile
from collections.abc import Iterator

# What a test puts in their place: a file that nobody may open and an address that nobody may ask.
CANARY_FILE = "{file}"
CANARY_ADDRESS = "{address}"

PLAYLISTS = {
    "ffconcat": "ffconcat version 1.0\nfile {file}\n",
    "ffconcat of a neighbour": "ffconcat version 1.0\nfile canary.wav\n",
    "hls of a file": "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://{file}\n#EXT-X-ENDLIST\n",
    "hls of a server": "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n{address}/a.ts\n#EXT-X-ENDLIST\n",
    "hls of a joined file": "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1,\nconcat:{address}/a|file://{file}\n",
    "dash": '<?xml version="1.0"?><MPD><Period><BaseURL>{address}/</BaseURL><AdaptationSet/></Period></MPD>',
    "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 9 RTP/AVP 0\n",
    "pls": "[playlist]\nFile1={address}/a.mp3\nFile2={file}\nNumberOfEntries=2\n",
    "lrc": "[ti:x]\n[00:01.00]file://{file}\n",
    "m3u": "{address}/a.mp3\n{file}\n",
    "xspf": "<playlist><trackList><track><location>{address}/a</location></track></trackList></playlist>",
    "cue": 'FILE "{file}" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n',
}
HEADS = {
    "wav": b"RIFF\xff\xff\xff\x7fWAVE",
    "flac": b"fLaC",
    "mp3": b"ID3\4\0\0\0\0\0\0",
    "opus": b"OggS\0\2" + bytes(20) + b"\1\x13OpusHead",
    "m4a": b"\0\0\0\x18ftypM4A \0\0\0\0M4A mp42",
    "aiff": b"FORM\0\0\xff\xffAIFF",
}


def playlists(*, file: str, address: str) -> Iterator[tuple[str, bytes]]:
    """Playlists under three suffixes, and with the first bytes of every format before them."""
    for name, text in PLAYLISTS.items():
        content = text.replace(CANARY_FILE, file).replace(CANARY_ADDRESS, address).encode()
        for suffix in ("wav", "flac", "mp3"):
            yield f"{name}.{suffix}", content
        for suffix, head in HEADS.items():
            yield f"{name} behind a head.{suffix}", head + b"\n" + content


def harmless() -> Iterator[tuple[str, bytes]]:
    """Files of other kinds under the names of sounds."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a.wav", HEADS["wav"] + bytes(100))
    kinds = {
        "nothing": b"",
        "zeros": bytes(5000),
        "text": b"This is not sound at all.\n" * 40,
        "zip": archive.getvalue(),
        "pdf": b"%PDF-1.7\n1 0 obj <<>> endobj\n%%EOF" + HEADS["wav"],
        "gif": b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;" + HEADS["flac"],
        "gif and script": b"GIF89a=1;alert(1)//" + HEADS["wav"],
        "page": b"<!doctype html><script>alert(1)</script>",
        "program": b"\x7fELF\2\1\1" + bytes(200),
        "database": b"SQLite format 3\0" + bytes(500),
        "picture": b"\x89PNG\r\n\x1a\n" + bytes(200),
        "jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(200),
        "film": b"\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86" + bytes(200),
        "riff of pictures": b"RIFF\0\1\0\0AVI LIST" + bytes(200),
        "webp": b"RIFF\0\1\0\0WEBPVP8 " + bytes(200),
        "midi": b"MThd\0\0\0\6\0\1\0\2\1\xe0" + bytes(100),
        "layer two": b"\xff\xfd\x90\x64" * 500,
        "adts": b"\xff\xf1\x50\x80\x02\x1f\xfc" + bytes(300),
        "reversed riff": b"RIFX\0\0\1\0WAVE" + bytes(100),
    }
    for name, content in kinds.items():
        for suffix in ("wav", "mp3"):
            yield f"{name}.{suffix}", content
