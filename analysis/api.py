"""The experimenter's API of results and downloads."""

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from analysis.services.exports import export_votes
from analysis.services.results import read_result
from analysis.tasks import keep_current
from core.policy import Audience, staff
from rating.access import experiment_for

SIMULATED = OpenApiParameter("simulated", bool, description="Include simulated listeners; left out by default.")


class Results(APIView):
    """The newest result of one method; `stale` says that newer votes are being folded in."""

    audience = Audience.STAFF

    @extend_schema(operation_id="result", parameters=[SIMULATED], responses={200: dict})
    def get(self, request: Request, slug: str, method: str) -> Response:
        experiment = experiment_for(staff(request), slug)
        keep_current(experiment=experiment, reader=staff(request))
        return Response(read_result(experiment=experiment, slug=method, simulated=asks_simulated(request)))


class VotesCsv(APIView):
    """Every mark that counts, one a row."""

    audience = Audience.STAFF

    @extend_schema(operation_id="votes_csv", parameters=[SIMULATED], responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        experiment = experiment_for(staff(request), slug)
        lines = export_votes(experiment=experiment, actor=staff(request), simulated=asks_simulated(request))
        headers = {"Content-Disposition": f'attachment; filename="{slug}-votes.csv"'}
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


def asks_simulated(request: Request) -> bool:
    return request.query_params.get("simulated") in ("1", "true")
