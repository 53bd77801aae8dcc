"""The participant's API: what comes next, the votes, the sound, the receipt."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.api import AnonymousWithCsrf
from core.policy import Audience, open_to
from core.problems import say
from listening.access import visit_for
from listening.models import Visit
from listening.serializers import MOST_BYTES, VoteBatchSerializer
from listening.services import media, visits
from rating.services import ballots
from rating.services.votes import Receipt

PAGES_AHEAD = 6


class VisitApi(APIView):
    """A view inside one visit. The browser shows that the visit is its own by the session cookie and CSRF token."""

    audience = Audience.PARTICIPANT
    authentication_classes = [AnonymousWithCsrf]

    def visit(self, request: Request, visit_id: UUID) -> Visit:
        return visit_for(request._request, visit_id)


class Upcoming(VisitApi):
    @extend_schema(operation_id="upcoming", responses={200: dict})
    def get(self, request: Request, visit_id: UUID) -> Response:
        """Return the next pages of the visit, without a name of anything that is heard."""
        visit = self.visit(request, visit_id)
        trials = ballots.pages(ballot=visit.seat.ballot, limit=PAGES_AHEAD)
        for trial in trials:
            for sound in trial["media"].values():
                sound["url"] = reverse("api:media", args=[visit_id, sound.pop("id")])
        done = visits.progress(visit=visit)
        finished = visit.seat.state == visit.seat.State.FINISHED
        return Response({"trials": trials, **done, "finished": finished})


class Votes(VisitApi):
    largest_body_bytes = MOST_BYTES

    @extend_schema(operation_id="cast_votes", request=VoteBatchSerializer, responses={200: dict})
    def post(self, request: Request, visit_id: UUID) -> Response:
        """Take a batch of answers; each gets a final word of its own, and the same answer again the same word."""
        visit = self.visit(request, visit_id)
        batch = VoteBatchSerializer(data=request.data)
        batch.is_valid(raise_exception=True)
        now = timezone.now()
        receipts = visits.submit_votes(visit=visit, events=batch.vote_events(), now=now)
        results = [_said(receipt) for receipt in receipts]
        return Response({"results": results, "saved_at": now.isoformat(), **visits.progress(visit=visit)})


class Finish(VisitApi):
    @extend_schema(operation_id="finish", request=None, responses={200: dict})
    def post(self, request: Request, visit_id: UUID) -> Response:
        """Issue the receipt, if and only if the server holds every vote."""
        completion = visits.finish_visit(visit=self.visit(request, visit_id), now=timezone.now())
        return Response(
            {
                "code": completion.code,
                "vote_count": completion.vote_count,
                "chain": completion.chain,
                "receipt_url": reverse("listening:receipt", args=[visit_id]),
            }
        )


@require_GET
@open_to(Audience.PARTICIPANT)
def sound(request: HttpRequest, visit_id: UUID, media_id: UUID) -> HttpResponse:
    """Serve one sound of the visit under headers that are the same for every sound."""
    recording = media.recording_for(visit=visit_for(request, visit_id), media_id=media_id)
    with recording.file.open() as file:
        response = HttpResponse(file.read(), content_type="audio/wav")
    response["Cache-Control"] = "private, no-store"
    return response


def _said(receipt: Receipt) -> dict[str, Any]:
    said: dict[str, Any] = {
        "event_id": str(receipt.event_id),
        "status": receipt.status,
        "revision": receipt.revision,
    }
    if receipt.error is not None:
        said |= {"code": receipt.error.code, "detail": say(receipt.error)}
    return said
