"""Addresses of Earmark, and the bare view beside them on the same server."""

import json

from django.http import HttpRequest, JsonResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from core.permissions import Audience, requires
from rating.models import RejectedVote


@csrf_exempt
@require_POST
@requires(Audience.PUBLIC)
def bare(request: HttpRequest) -> JsonResponse:
    """What a person would write first: no session, no check, no transaction of its own, one durable INSERT."""
    body = json.loads(request.body)
    made = body["events"][0]
    RejectedVote.objects.create(event_id=made["event_id"], ballot_id=body["ballot"], body=made, code="bench")
    return JsonResponse({"status": "stored"})


urlpatterns = [path("bare/", bare), path("", include("config.urls"))]
