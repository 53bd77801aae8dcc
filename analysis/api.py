"""The experimenter's API of results and downloads."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from django.http import StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from analysis.adjustment import ADJUSTABLE, ALL
from analysis.p808_export import suffix_of
from analysis.registry import get_report, method_of, methods
from analysis.reports.base import TABLE_PREFIX
from analysis.reports.ordinal import ordinal_tables, sentences
from analysis.reports.tables import TABLE_FORMATS, Table
from analysis.serializers import (
    OrdinalModelSerializer,
    ResultIndexSerializer,
    ResultRowsSerializer,
    ResultSerializer,
    ResultStateSerializer,
    ResultTableSerializer,
)
from analysis.services import exports
from analysis.services.dataset.anonymity import USUAL_K
from analysis.services.dataset.archive import export_dataset
from analysis.services.experiment_report import export_report
from analysis.services.ordinal import read_fit, request_ordinal_fit
from analysis.services.questionnaires import export_questionnaire
from analysis.services.report_pdf import export_report_pdf, request_report_pdf
from analysis.services.results import read_items, read_result, read_state
from analysis.tasks import keep_current
from core.languages import active_language
from core.pdf import PDF
from core.permissions import Audience, staff
from core.serializers import JobSerializer
from rating.models import Experiment
from rating.services.access import Access, experiment_of

SIMULATED = OpenApiParameter("simulated", bool, description="Include simulated listeners; left out by default.")
ANONYMOUS = OpenApiParameter("anonymous", bool, description="Leave out what participants wrote in free text.")
ANONYMOUS_ZIP = OpenApiParameter("anonymous", bool, description="An edition in which nobody can be told apart.")
K = OpenApiParameter("k", int, description="How many listeners share each combination of answers about a person.")
SCALE = OpenApiParameter("scale", str, description="One scale, such as SIG; the first one, or all, by default.")
PART = OpenApiParameter("part", str, enum=["items", "practice"], description="Which table.")
ADJUST = OpenApiParameter(
    "adjust", str, enum=[*ADJUSTABLE, ALL], description="Fixed effects of the mixed model beside the condition."
)
PAGE = OpenApiParameter("page", int, description="From 1.")
CSV = {(200, "text/csv"): OpenApiTypes.STR}
ZIP = {(200, "application/zip"): OpenApiTypes.BINARY}
HTML = {(200, "text/html"): OpenApiTypes.STR}
PDF_FILE = {(200, PDF): OpenApiTypes.BINARY}
ANY = {(200, "*/*"): OpenApiTypes.BINARY}


class ResultIndex(APIView):
    audience = Audience.STAFF

    @extend_schema(operation_id="results", parameters=[SIMULATED], responses=ResultIndexSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return which method analyses the experiment, and every file and table of its results."""
        experiment = experiment_of(request, slug)
        keep_current(experiment=experiment, reader=staff(request))
        method, simulated = method_of(experiment.protocol), asks_simulated(request)
        result, reader = (
            read_result(experiment=experiment, slug=method, simulated=simulated, long=True),
            get_report(method),
        )

        def listed(name: str, title: str, content_type: str) -> dict[str, str]:
            address = reverse("api:report_file", args=[slug, method, name]) + ("?simulated=1" if simulated else "")
            return {"name": name, "title": title, "content_type": content_type, "address": address}

        files = reader.files_and_pictures
        tables = reader.tables(experiment, result, request.query_params.dict()) if result["computed_at"] else {}
        return Response(
            {
                **{name: result[name] for name in ("method", "computed_at", "stale")},
                "title": str(methods()[method].title),
                "files": [listed(name, str(file.title), file.content_type) for name, file in files.items()],
                "tables": [
                    listed(f"{TABLE_PREFIX}{table.id}.{ending}", str(table.title), form.content_type)
                    for table in tables.values()
                    for ending, form in TABLE_FORMATS.items()
                ],
            }
        )


class ResultTables(APIView):
    audience = Audience.STAFF

    @extend_schema(
        operation_id="result_tables", parameters=[SIMULATED, ADJUST], responses=ResultTableSerializer(many=True)
    )
    def get(self, request: Request, slug: str, method: str) -> Response:
        """Return every table of the page, with the values to their last digit."""
        experiment, asked = experiment_of(request, slug), request.query_params.dict()
        keep_current(experiment=experiment, reader=staff(request))
        tables = exports.result_tables(experiment=experiment, method=method, asked=asked, **_who(request))
        return Response(ResultTableSerializer([_as_json(table) for table in tables], many=True).data)


def _as_json(table: Table) -> dict[str, Any]:
    keys = list(dict.fromkeys(key for column in table.columns for key in column.keys))
    rows = [{key: row[key] for key in keys} for row in table.rows]
    return {"id": table.id, "title": table.title, "note": table.note, "columns": keys, "rows": rows}


class Results(APIView):
    """The newest result of one method; `stale` says that the figures are being updated with newer votes."""

    audience = Audience.STAFF

    @extend_schema(operation_id="result", parameters=[SIMULATED, ADJUST], responses=ResultSerializer)
    def get(self, request: Request, slug: str, method: str) -> Response:
        experiment = experiment_of(request, slug)
        keep_current(experiment=experiment, reader=staff(request))
        adjust = request.query_params.get("adjust", "")
        return Response(
            read_result(experiment=experiment, slug=method, simulated=asks_simulated(request), adjust=adjust)
        )


class ResultState(APIView):
    """Which edition of the figures is the newest, for those who wait for the next one; no figures."""

    audience = Audience.STAFF

    @extend_schema(operation_id="result_state", parameters=[SIMULATED], responses=ResultStateSerializer)
    def get(self, request: Request, slug: str, method: str) -> Response:
        experiment = experiment_of(request, slug)
        keep_current(experiment=experiment, reader=staff(request))
        return Response(read_state(experiment=experiment, slug=method, simulated=asks_simulated(request)))


class ResultItems(APIView):
    """One page of a long table: `part` is items (the default) or practice."""

    audience = Audience.STAFF

    @extend_schema(
        operation_id="result_items", parameters=[SIMULATED, SCALE, PART, PAGE], responses=ResultRowsSerializer
    )
    def get(self, request: Request, slug: str, method: str) -> Response:
        experiment = experiment_of(request, slug)
        asked = request.query_params
        page = asked.get("page", "")
        rows = read_items(
            experiment=experiment,
            slug=method,
            simulated=asks_simulated(request),
            part=asked.get("part", ""),
            scale=asked.get("scale", ""),
            page=int(page) if page.isdecimal() and len(page) < 10 else 1,
        )
        return Response(rows)


class OrdinalModel(APIView):
    """The cumulative-link model of votes in categories: how far it is, and its tables; POST has it fitted."""

    audience = Audience.STAFF

    @extend_schema(operation_id="ordinal_model", parameters=[SIMULATED], responses=OrdinalModelSerializer)
    def get(self, request: Request, slug: str) -> Response:
        return self._told(experiment_of(request, slug), simulated=asks_simulated(request))

    @extend_schema(
        operation_id="fit_ordinal_model", parameters=[SIMULATED], request=None, responses={202: OrdinalModelSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        experiment, simulated = experiment_of(request, slug), asks_simulated(request)
        request_ordinal_fit(experiment=experiment, actor=staff(request), simulated=simulated)
        return self._told(experiment, simulated=simulated, code=status.HTTP_202_ACCEPTED)

    def _told(self, experiment: Experiment, *, simulated: bool, code: int = status.HTTP_200_OK) -> Response:
        fit = read_fit(experiment=experiment, simulated=simulated)
        told = {
            **{name: getattr(fit, name) for name in ("state", "refused", "fitted_at", "vote_count")},
            "job": fit.job.pk if fit.job else None,
            "progress": fit.job.progress_done / (fit.job.progress_total or 1) if fit.job else None,
            "warnings": sentences(fit),
            "tables": [_as_json(table) for table in ordinal_tables(fit) if table.rows],
        }
        return Response(OrdinalModelSerializer(told).data, status=code)


class Download(APIView, ABC):
    """A file made of what was answered; every download is in the audit log."""

    audience = Audience.STAFF
    content_type = "text/csv; charset=utf-8"

    @abstractmethod
    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        """Return the end of the file's name and its content in pieces."""

    def get(self, request: Request, slug: str, **asked: Any) -> StreamingHttpResponse:
        experiment = experiment_of(request, slug)
        name, pieces = self.make(request, experiment, **asked)
        headers = {"Content-Disposition": f'attachment; filename="{slug}-{name}"'}
        return StreamingHttpResponse(pieces, content_type=self.content_type, headers=headers)


def _who(request: Request) -> dict[str, Any]:
    return {"actor": staff(request), "simulated": asks_simulated(request)}


@extend_schema_view(get=extend_schema(operation_id="votes_csv", parameters=[SIMULATED], responses=CSV))
class VotesCsv(Download):
    """Every mark that counts, one a row."""

    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        return "votes.csv", exports.export_votes(experiment=experiment, **_who(request))


@extend_schema_view(get=extend_schema(operation_id="wide_csv", parameters=[SIMULATED, SCALE], responses=CSV))
class WideCsv(Download):
    """One scale as a matrix: condition, sample, subject_1 ..., empty where a listener did not rate a clip."""

    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        scale = exports.known_scale(experiment, request.query_params.get("scale", ""))
        return f"wide-{scale}.csv", exports.export_wide(experiment=experiment, scale=scale, **_who(request))


@extend_schema_view(get=extend_schema(operation_id="clips_csv", parameters=[SIMULATED, SCALE], responses=CSV))
class ClipsCsv(Download):
    """One scale as the P.808 toolkit's votes_per_clip."""

    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        scale = exports.known_scale(experiment, request.query_params.get("scale", ""))
        name = f"votes_per_clip{suffix_of(exports.scales_of(experiment), scale).lower()}.csv"
        return name, exports.export_clips(experiment=experiment, scale=scale, **_who(request))


@extend_schema_view(get=extend_schema(operation_id="conditions_csv", parameters=[SIMULATED], responses=CSV))
class ConditionsCsv(Download):
    """Every scale as the P.808 toolkit's votes_per_cond_all-scales."""

    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        return "votes_per_cond.csv", exports.export_conditions(experiment=experiment, **_who(request))


@extend_schema_view(get=extend_schema(operation_id="tables_csv", parameters=[SIMULATED], responses=CSV))
class TablesCsv(Download):
    """Every table of a result, with the figures of the page to their last digit."""

    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        slug = asked["method"]
        keep_current(experiment=experiment, reader=staff(request))
        return f"{slug}.csv", exports.export_tables(experiment=experiment, method=slug, **_who(request))


@extend_schema_view(get=extend_schema(operation_id="report_file", parameters=[SIMULATED, ADJUST], responses=ANY))
class ReportFileDownload(APIView):
    """A file that belongs to one method: a table in a shape of its own, or a figure."""

    audience = Audience.STAFF

    def get(self, request: Request, slug: str, method: str, name: str) -> StreamingHttpResponse:
        experiment = experiment_of(request, slug)
        keep_current(experiment=experiment, reader=staff(request))
        asked = request.query_params.dict()
        file, pieces = exports.export_report_file(
            experiment=experiment, method=method, name=name, asked=asked, **_who(request)
        )
        headers = {"Content-Disposition": f'attachment; filename="{slug}-{name}"'}
        return StreamingHttpResponse(pieces, content_type=file.content_type, headers=headers)


@extend_schema_view(
    get=extend_schema(operation_id="questionnaire_csv", parameters=[SIMULATED, ANONYMOUS], responses=CSV)
)
class QuestionnaireCsv(Download):
    """Answers to the questions before and after the clips: a row a listener, a column a question."""

    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        anonymous = _asks(request, "anonymous")
        return "questionnaire.csv", export_questionnaire(experiment=experiment, anonymous=anonymous, **_who(request))


@extend_schema_view(
    get=extend_schema(operation_id="dataset_zip", parameters=[SIMULATED, ANONYMOUS_ZIP, K], responses=ZIP)
)
class DatasetZip(Download):
    """Answers, results, design, others' shapes, starter scripts and checksums in one zip."""

    content_type = "application/zip"

    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        anonymous, k = _asks(request, "anonymous"), request.query_params.get("k", str(USUAL_K))
        how: dict[str, Any] = {"anonymous": anonymous, "k": int(k) if k.isdecimal() and len(k) < 6 else 0}
        name = "anonymous-dataset.zip" if anonymous else "dataset.zip"
        return name, export_dataset(experiment=experiment, **how, **_who(request))


@extend_schema_view(get=extend_schema(operation_id="report_html", parameters=[SIMULATED], responses=HTML))
class ReportHtml(Download):
    """The report of the experiment as one HTML file that needs no other, to keep, send or print."""

    content_type = "text/html; charset=utf-8"

    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        keep_current(experiment=experiment, reader=staff(request))
        return "report.html", [export_report(experiment=experiment, now=timezone.now(), **_who(request))]


class ReportPdf(Download):
    """The report of the experiment as PDF, as it stood when it was last asked for; POST has it written anew."""

    content_type = PDF

    def make(self, request: Request, experiment: Experiment, **asked: Any) -> tuple[str, Iterable[str | bytes]]:
        made = export_report_pdf(experiment=experiment, language=active_language(), **_who(request))
        return "report.pdf", [made]

    @extend_schema(operation_id="report_pdf", parameters=[SIMULATED], responses=PDF_FILE)
    def get(self, request: Request, slug: str, **asked: Any) -> StreamingHttpResponse:
        return super().get(request, slug, **asked)

    @extend_schema(
        operation_id="write_report_pdf", parameters=[SIMULATED], request=None, responses={202: JobSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        experiment = experiment_of(request, slug, need=Access.VIEW)
        keep_current(experiment=experiment, reader=staff(request))
        job = request_report_pdf(experiment=experiment, language=active_language(), now=timezone.now(), **_who(request))
        return Response(JobSerializer(job).data, status=status.HTTP_202_ACCEPTED)


def asks_simulated(request: Request) -> bool:
    return _asks(request, "simulated")


def _asks(request: Request, name: str) -> bool:
    return request.query_params.get(name) in ("1", "true")
