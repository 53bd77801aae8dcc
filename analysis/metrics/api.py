"""The experimenter's API of objective metrics: their table, figures beside the votes, and files."""

from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from analysis.api import ANY, SIMULATED, asks_simulated
from analysis.metrics.reading import MOST_BYTES
from analysis.metrics.serializers import MetricsSerializer, NewMetricsSerializer
from analysis.services.metrics import (
    check_offered,
    compare_with_votes,
    export_metrics_file,
    keep_metrics,
    metric_table_of,
    place_metrics,
    remove_metrics,
)
from analysis.tasks import keep_current
from core.permissions import Audience, staff
from rating.models import Experiment
from rating.services.access import experiment_of


class ExperimentMetrics(APIView):
    """The table of metrics and, once the experiment is unblinded, all figures beside the votes.

    PUT a CSV text in place of an earlier table; DELETE removes it.
    """

    audience = Audience.STAFF
    largest_body_bytes = 2 * MOST_BYTES  # JSON writes line breaks with two characters

    @extend_schema(operation_id="metrics", parameters=[SIMULATED], responses=MetricsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        experiment = experiment_of(request, slug)
        check_offered(experiment)
        keep_current(experiment=experiment, reader=staff(request))
        return Response(_told(experiment, simulated=asks_simulated(request)))

    @extend_schema(operation_id="upload_metrics", request=NewMetricsSerializer, responses=MetricsSerializer)
    def put(self, request: Request, slug: str) -> Response:
        experiment = experiment_of(request, slug)
        asked = NewMetricsSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        name, content = asked.validated_data["name"], asked.validated_data["table"].encode()
        keep_metrics(experiment=experiment, actor=staff(request), content=content, name=name)
        return Response(_told(experiment, simulated=False))

    @extend_schema(operation_id="remove_metrics", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        remove_metrics(experiment=experiment_of(request, slug), actor=staff(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _told(experiment: Experiment, *, simulated: bool) -> dict[str, Any]:
    table, blind = metric_table_of(experiment), experiment.unblinded_at is None
    figures = compare_with_votes(experiment, table, simulated=simulated) if table and not blind else []
    unmatched = place_metrics(experiment, table).unmatched if table else []
    told = {"blind": blind, "table": table, "unmatched": unmatched, "figures": figures}
    return dict(MetricsSerializer(told).data)


class MetricsFile(APIView):
    """A table of the page (table-metric-correlations.csv, .tex, .md, .xlsx) or its figure (metrics.svg, .png, .pdf).

    `scale`, `level` and `metric` say which, as in the address of the page.
    """

    audience = Audience.STAFF

    @extend_schema(operation_id="metrics_file", parameters=[SIMULATED], responses=ANY)
    def get(self, request: Request, slug: str, name: str) -> StreamingHttpResponse:
        file, pieces = export_metrics_file(
            experiment=experiment_of(request, slug),
            actor=staff(request),
            simulated=asks_simulated(request),
            name=name,
            asked=request.query_params.dict(),
        )
        headers = {"Content-Disposition": f'attachment; filename="{slug}-{name}"'}
        return StreamingHttpResponse(pieces, content_type=file.content_type, headers=headers)
