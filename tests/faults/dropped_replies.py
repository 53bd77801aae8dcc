"""Earmark behind a bad line: a share of the replies to votes is lost after the votes were committed.

gunicorn serves this module in the kill tests. EARMARK_FAULT_DROPPED is the share, from 0 to 1.
"""

import os
import socket
from collections.abc import Iterable
from fractions import Fraction
from itertools import count
from typing import Any
from wsgiref.types import StartResponse

from django.conf import settings

if "postgresql" in settings.DATABASES["default"]["ENGINE"]:
    settings.DATABASES["default"]["CONN_MAX_AGE"] = 60  # as in production, so that a kill meets connections in use

from config.wsgi import application as earmark

SHARE = Fraction(os.environ.get("EARMARK_FAULT_DROPPED", "0")).limit_denominator(1000)
replies = count(1)


def application(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    reply = earmark(environ, start_response)
    if environ["PATH_INFO"].endswith("/votes/") and next(replies) * SHARE % 1 < SHARE:
        environ["gunicorn.socket"].shutdown(socket.SHUT_RDWR)
    return reply
