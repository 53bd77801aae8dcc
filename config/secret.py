"""Secret keys: made at first start in the embedded default, demanded from the environment in production."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY = 50


def load_secret(given: str, *, setting: str, own: Path, production: bool) -> str:
    """The key that was given, or this installation's own key in a file, which production does without."""
    if production and len(given) < SHORTEST_KEY:
        raise ImproperlyConfigured(
            f"{setting} must hold at least {SHORTEST_KEY} random characters in production; make one with: "
            "python3 -c 'import secrets; print(secrets.token_urlsafe(64))'"
        )
    return given or _own_key(own)


def _own_key(path: Path) -> str:
    """Read this installation's key, making it on the first start; two starts at once agree on one key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        scratch = path.with_name(f"{path.name}.{os.getpid()}")
        scratch.write_text(secrets.token_urlsafe(64))
        scratch.chmod(0o600)
        try:
            os.link(scratch, path)
        except FileExistsError:
            pass
        finally:
            scratch.unlink()
    return path.read_text()
