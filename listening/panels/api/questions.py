"""API of an experiment's questionnaire, for experimenters."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.permissions import Audience, staff
from listening.panels.services.question_editing import change_questions
from rating.models import Experiment
from rating.services.access import experiment_of


class QuestionsSerializer(serializers.Serializer[Any]):
    """Definitions in their order, as rating/question_definitions.py reads them."""

    questions = serializers.ListField(child=serializers.DictField())


class Questions(APIView):
    """The questions before and after the clips; PUT replaces all of them while the experiment is a draft."""

    audience = Audience.STAFF

    @extend_schema(operation_id="questions", responses={200: QuestionsSerializer})
    def get(self, request: Request, slug: str) -> Response:
        return _told(experiment_of(request, slug))

    @extend_schema(operation_id="change_questions", request=QuestionsSerializer, responses={200: QuestionsSerializer})
    def put(self, request: Request, slug: str) -> Response:
        experiment = experiment_of(request, slug)
        asked = QuestionsSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        definitions = asked.validated_data["questions"]
        return _told(change_questions(experiment=experiment, actor=staff(request), questions=definitions))


def _told(experiment: Experiment) -> Response:
    return Response({"questions": experiment.questions})
