"""What every template may know about this site."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, Any]:
    return {"public_url": settings.PUBLIC_URL, "second_factor_required": settings.SECOND_FACTOR_REQUIRED}
