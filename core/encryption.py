"""Encryption of short texts under keys derived from the site's secret key, and secrets that one page shows once."""

import base64
import hashlib
import json
from datetime import timedelta
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.http import HttpRequest

KEPT_FOR = timedelta(minutes=15)
SESSION_KEY = "kept_once"


def cipher(purpose: str) -> MultiFernet:
    """The cipher of one purpose; earlier secret keys still decrypt what they encrypted."""
    site_keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = [hashlib.sha256(f"earmark {purpose}:{key}".encode()).digest() for key in site_keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


def keep_once(request: HttpRequest, name: str, value: Any) -> None:
    """Keep a secret for the page that follows a redirect: encrypted in the reader's session, until it is taken."""
    kept = request.session.get(SESSION_KEY, {})
    request.session[SESSION_KEY] = kept | {name: cipher(SESSION_KEY).encrypt(json.dumps(value).encode()).decode()}


def take_kept(request: HttpRequest, name: str) -> Any:
    """The secret that was kept under this name, and remove it; None where there is none or it is too old."""
    kept = dict(request.session.get(SESSION_KEY, {}))
    encrypted = kept.pop(name, None)
    if encrypted is None:
        return None
    request.session[SESSION_KEY] = kept
    try:
        return json.loads(cipher(SESSION_KEY).decrypt(encrypted.encode(), ttl=int(KEPT_FOR.total_seconds())))
    except InvalidToken:
        return None
