"""API of experiments, for experimenters."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import AppError
from core.http_errors import error_message
from core.pdf import PDF
from core.permissions import Audience, staff
from core.serializers import validated
from rating.label_sets import as_label_set, label_sets_of
from rating.models import Collaborator, Experiment, ExperimentQuerySet
from rating.options import kind_of
from rating.protocol import LabelSet, Protocol
from rating.registry import get_protocol, protocols
from rating.serializers import (
    ArchiveSerializer,
    ChangeLabelSetSerializer,
    ColleagueSerializer,
    CopyLabelSetSerializer,
    EditSerializer,
    ExperimentDetailSerializer,
    ExperimentSerializer,
    LabelSetSerializer,
    LossSerializer,
    NewExperimentSerializer,
    NewStateSerializer,
    OptionsSerializer,
    ProtocolSerializer,
    ShareSerializer,
    StateSerializer,
    TextVersionSerializer,
    TypedSerializer,
    UnblindingSerializer,
)
from rating.services import access, disposal
from rating.services import experiments as services
from rating.services.access import Access, experiment_of
from rating.services.consent_copies import copy_for_experimenter
from rating.services.editing import amend_texts, edit_experiment
from rating.services.label_sets import approve_label_set, change_label_set, copy_label_set, delete_label_set, scales_of
from rating.services.texts import TEXTS, consent_counts, published_texts, standard_consent
from stimuli.services.collections import collection_for

SEARCH = OpenApiParameter("search", str, description="A part of the title, the short name or the owner's name.")
STATE = OpenApiParameter("state", str, enum=Experiment.State.values, description="Only experiments in this state.")

VERSION = OpenApiParameter("version", int, description="The number of a published version; the present text without.")


class ExperimentApi(APIView):
    audience = Audience.STAFF


@extend_schema_view(get=extend_schema(operation_id="experiments", parameters=[SEARCH, STATE]))
class Experiments(generics.ListAPIView[Experiment]):
    """Own and shared experiments, newest first; POST makes one."""

    audience = Audience.STAFF
    serializer_class = ExperimentSerializer

    def get_queryset(self) -> ExperimentQuerySet:
        found = Experiment.objects.visible_to(staff(self.request)).for_people().select_related("owner", "collection")
        asked = self.request.query_params
        if state := asked.get("state"):
            found = found.filter(state=state)
        return found.search(asked.get("search", ""))

    @extend_schema(
        operation_id="create_experiment", request=NewExperimentSerializer, responses={201: ExperimentDetailSerializer}
    )
    def post(self, request: Request) -> Response:
        """Create a draft."""
        fields = validated(NewExperimentSerializer, request)
        protocol, language = get_protocol(fields.pop("protocol")), fields["language"]
        services.check_language(language)
        fields["label_set"] = fields["label_set"] or services.usual_label_set(protocol, language)
        fields["consent_text"] = fields["consent_text"] or standard_consent(language)
        collection = collection_for(staff(request), fields.pop("collection"))
        made = services.create_experiment(
            owner=staff(request), collection=collection, protocol_slug=protocol.slug, **fields
        )
        return Response(ExperimentDetailSerializer(made).data, status=status.HTTP_201_CREATED)


class ExperimentDetail(ExperimentApi):
    @extend_schema(operation_id="experiment", responses=ExperimentDetailSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return an experiment with its texts."""
        return Response(ExperimentDetailSerializer(experiment_of(request, slug)).data)

    @extend_schema(operation_id="edit_experiment", request=EditSerializer, responses=ExperimentDetailSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change what is given: all fields of a draft, afterwards the texts, as an amendment with a reason."""
        experiment, fields = experiment_of(request, slug), validated(EditSerializer, request)
        reason = fields.pop("reason")
        if "collection" in fields:
            fields["collection"] = collection_for(staff(request), fields["collection"])
        # What is no text belongs to a draft; where the experiment is none, the service says so.
        if experiment.state == Experiment.State.DRAFT or fields.keys() - set(TEXTS):
            changed = edit_experiment(experiment=experiment, actor=staff(request), **fields)
        else:
            changed = amend_texts(experiment=experiment, actor=staff(request), reason=reason, **fields)
        return Response(ExperimentDetailSerializer(changed).data)


class Options(ExperimentApi):
    @extend_schema(operation_id="change_options", request=OptionsSerializer, responses=ExperimentDetailSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        """Change options of the protocol, while the experiment is a draft without seats."""
        experiment, options = experiment_of(request, slug), validated(OptionsSerializer, request)["options"]
        changed = services.change_options(experiment=experiment, options=options, actor=staff(request))
        return Response(ExperimentDetailSerializer(changed).data)


class Texts(ExperimentApi):
    @extend_schema(operation_id="text_versions", responses=TextVersionSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return every version of the texts that listeners could read, and how many agreed to each."""
        experiment = experiment_of(request, slug)
        counts = {"counts": consent_counts(experiment)}
        return Response(TextVersionSerializer(published_texts(experiment), many=True, context=counts).data)


class ConsentPdf(ExperimentApi):
    """The consent text as PDF: the present one, or that of a version which listeners could read."""

    @extend_schema(operation_id="consent_pdf", parameters=[VERSION], responses={(200, PDF): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str) -> HttpResponse:
        experiment, asked = experiment_of(request, slug), request.query_params.get("version")
        number = None if asked is None else int(asked) if asked.isdecimal() and len(asked) < 5 else 0
        headers = {"Content-Disposition": f'attachment; filename="{slug}-consent.pdf"'}
        return HttpResponse(copy_for_experimenter(experiment, number=number), content_type=PDF, headers=headers)


class State(ExperimentApi):
    @extend_schema(operation_id="state", responses=StateSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the state, and whether the experiment could go live now."""
        experiment, problem = experiment_of(request, slug), ""
        try:
            services.check_ready(experiment)
        except AppError as error:
            problem = error_message(error)
        return Response({"state": experiment.state, "ready": not problem, "problem": problem})

    @extend_schema(operation_id="change_state", request=NewStateSerializer, responses=ExperimentDetailSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Go live, pause, close, or return to draft as long as there are no answers."""
        experiment, asked = experiment_of(request, slug), validated(NewStateSerializer, request)
        wanted: dict[str, Any] = {"experiment": experiment, "actor": staff(request)}
        match Experiment.State(asked["state"]):
            case Experiment.State.LIVE:
                changed = services.go_live(**wanted)
            case Experiment.State.DRAFT:
                changed = services.return_to_draft(**wanted)
            case Experiment.State.PAUSED:
                changed = services.pause(**wanted, reason=asked["reason"])
            case Experiment.State.CLOSED:
                changed = services.close(**wanted, reason=asked["reason"])
        return Response(ExperimentDetailSerializer(changed).data)


class Unblinding(ExperimentApi):
    scopes = {"POST": "unblind"}

    @extend_schema(operation_id="unblind", request=UnblindingSerializer, responses=ExperimentSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Show conditions by name from now on; the audit log keeps who asked for it and why."""
        experiment, asked = experiment_of(request, slug), validated(UnblindingSerializer, request)
        reason, confirmed = asked["reason"], asked["confirm"]
        if reason.strip() and not confirmed and services.unblinds_too_early(experiment):
            raise AppError(
                "experiment.unblinding_unconfirmed",
                409,
                gettext_noop(
                    "People can still listen, and unblinding cannot be undone. Close the experiment first, or send "
                    '"confirm": true to unblind it now all the same.'
                ),
            )
        opened = services.unblind(experiment=experiment, actor=staff(request), reason=reason)
        return Response(ExperimentSerializer(opened).data)


class Protocols(ExperimentApi):
    @extend_schema(operation_id="protocols", responses=ProtocolSerializer(many=True))
    def get(self, request: Request) -> Response:
        """Return every protocol with its scales, label sets and options."""
        return Response(ProtocolSerializer([_described(protocol) for protocol in protocols().values()], many=True).data)


def _described(protocol: Protocol) -> dict[str, Any]:
    return {
        "slug": protocol.slug,
        "title": protocol.title,
        "summary": _(protocol.summary),
        "scales": protocol.scales,
        "label_sets": [
            {"id": labels.id, "language": labels.language, "status": labels.status.value}
            for labels in protocol.label_sets
        ],
        "options": [
            {
                "name": name,
                "label": _(option.label),
                "help": _(option.help),
                "kind": kind_of(protocol, name).value,
                "default": option.default,
                "choices": list(option.choices),
            }
            for name, option in protocol.options.items()
        ],
    }


# --- Sharing, archive, bin --------------------------------------------------------------------------------------------


class Shares(ExperimentApi):
    @extend_schema(operation_id="shares", responses=ShareSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Return the colleagues with whom the experiment is shared, and their roles."""
        shares = experiment_of(request, slug).shares.select_related("user").order_by("user__username")
        return Response(ShareSerializer(shares, many=True).data)

    @extend_schema(operation_id="share", request=ShareSerializer, responses={201: ShareSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Share with a colleague, or change the role that a colleague has."""
        experiment, asked = experiment_of(request, slug, need=Access.MANAGE), validated(ShareSerializer, request)
        shared: Collaborator = access.share(
            experiment=experiment,
            actor=staff(request),
            colleague_name=asked["user"]["username"],
            role=asked["role"],
        )
        return Response(ShareSerializer(shared).data, status=status.HTTP_201_CREATED)


class Share(ExperimentApi):
    @extend_schema(operation_id="unshare", responses={204: None})
    def delete(self, request: Request, slug: str, colleague: str) -> Response:
        """Take a colleague's access away; everybody may give up their own."""
        need = Access.VIEW if colleague == staff(request).username else Access.MANAGE
        experiment = experiment_of(request, slug, need=need)
        access.unshare(experiment=experiment, actor=staff(request), colleague_name=colleague)
        return Response(status=status.HTTP_204_NO_CONTENT)


class Owner(ExperimentApi):
    @extend_schema(operation_id="transfer", request=ColleagueSerializer, responses=ExperimentSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Hand the experiment over to a colleague."""
        experiment, asked = experiment_of(request, slug, need=Access.MANAGE), validated(ColleagueSerializer, request)
        given = access.transfer(experiment=experiment, actor=staff(request), colleague_name=asked["colleague"])
        return Response(ExperimentSerializer(given).data)


class Archive(ExperimentApi):
    @extend_schema(operation_id="archive", request=ArchiveSerializer, responses=ExperimentSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Archive the experiment, or take it out of the archive."""
        experiment, asked = experiment_of(request, slug), validated(ArchiveSerializer, request)
        change = disposal.archive if asked["archived"] else disposal.unarchive
        return Response(ExperimentSerializer(change(experiment=experiment, actor=staff(request))).data)


class Deletion(ExperimentApi):
    @extend_schema(operation_id="would_lose", responses=LossSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return what deleting the experiment would lose in the end."""
        experiment = experiment_of(request, slug, need=Access.MANAGE)
        return Response({"lost": disposal.would_lose(experiment), "days_in_bin": disposal.DAYS_IN_BIN})

    @extend_schema(operation_id="delete_experiment", request=TypedSerializer, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        """Put the experiment into the bin, once its short name was typed."""
        experiment, asked = experiment_of(request, slug, need=Access.MANAGE), validated(TypedSerializer, request)
        disposal.delete_experiment(experiment=experiment, actor=staff(request), typed=asked["typed"])
        return Response(status=status.HTTP_204_NO_CONTENT)


class Restoration(ExperimentApi):
    @extend_schema(operation_id="restore", request=None, responses=ExperimentSerializer)
    def post(self, request: Request, slug: str) -> Response:
        """Take the experiment out of the bin."""
        experiment = disposal.binned_experiment_for(staff(request), slug)
        return Response(ExperimentSerializer(disposal.restore(experiment=experiment, actor=staff(request))).data)


class LabelSets(ExperimentApi):
    """The words of the scales that the experiment can use, its own last; POST copies a set, to be changed."""

    @extend_schema(operation_id="label_sets", responses=LabelSetSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return Response([_label_set(labels) for labels in label_sets_of(experiment_of(request, slug))])

    @extend_schema(operation_id="copy_label_set", request=CopyLabelSetSerializer, responses={201: LabelSetSerializer})
    def post(self, request: Request, slug: str) -> Response:
        experiment, asked = experiment_of(request, slug), validated(CopyLabelSetSerializer, request)
        made = copy_label_set(
            experiment=experiment, actor=staff(request), source=asked["copy_of"], language=asked["language"]
        )
        return Response(_label_set(as_label_set(made)), status=status.HTTP_201_CREATED)


class LabelSetDetail(ExperimentApi):
    """PUT changes the words of an own label set while the experiment is a draft, and approves it if so asked; DELETE
    deletes one that is not used."""

    @extend_schema(operation_id="change_label_set", request=ChangeLabelSetSerializer, responses=LabelSetSerializer)
    def put(self, request: Request, slug: str, label_set: str) -> Response:
        experiment, words = experiment_of(request, slug), validated(ChangeLabelSetSerializer, request)
        who: dict[str, Any] = {"experiment": experiment, "actor": staff(request), "name": label_set}
        approved = words.pop("approved")
        own = change_label_set(**who, **words)
        if approved:
            own = approve_label_set(**who)
        return Response(_label_set(as_label_set(own)))

    @extend_schema(operation_id="delete_label_set", responses={204: None})
    def delete(self, request: Request, slug: str, label_set: str) -> Response:
        delete_label_set(experiment=experiment_of(request, slug), actor=staff(request), name=label_set)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _label_set(labels: LabelSet) -> dict[str, Any]:
    told = {name: getattr(labels, name) for name in ("id", "language", "status", "sha256")}
    return told | {"based_on": labels.source, "scales": scales_of(labels)}
