"""API of simulations: copies of an experiment in which simulated listeners answer."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.models import Job
from core.permissions import Audience, staff
from core.serializers import JobSerializer, validated
from listening.panels.services.simulated_copies import (
    LONGEST_SEED,
    USUAL_SEED,
    ask_for_simulation,
    delete_simulation,
    job_of,
    simulations_of,
)
from rating.models import Experiment
from rating.services.access import Access, experiment_of


class NewSimulationSerializer(serializers.Serializer[Any]):
    listeners = serializers.IntegerField(
        min_value=1, allow_null=True, default=None, help_text="None: one for every seat."
    )
    seed = serializers.CharField(
        max_length=LONGEST_SEED, default=USUAL_SEED, help_text="The same seed gives the same answers again."
    )


class SimulationSerializer(serializers.ModelSerializer[Experiment]):
    seats = serializers.IntegerField(source="seat_count")
    finished = serializers.IntegerField(source="bots_finished")
    job = serializers.SerializerMethodField()

    class Meta:
        model = Experiment
        fields = ["slug", "title", "created_at", "seats", "finished", "job"]
        read_only_fields = fields

    @extend_schema_field(JobSerializer(allow_null=True))
    def get_job(self, copy: Experiment) -> Any:
        job: Job | None = job_of(copy)
        return JobSerializer(job).data if job else None


class Simulations(APIView):
    """Copies of the experiment for simulated listeners, newest first; POST makes one and has bots answer in it."""

    audience = Audience.STAFF

    @extend_schema(operation_id="simulations", responses=SimulationSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        copies = simulations_of(experiment_of(request, slug), reader=staff(request))
        return Response(SimulationSerializer(copies, many=True).data)

    @extend_schema(
        operation_id="start_simulation", request=NewSimulationSerializer, responses={201: SimulationSerializer}
    )
    def post(self, request: Request, slug: str) -> Response:
        experiment, asked = experiment_of(request, slug), validated(NewSimulationSerializer, request)
        made = ask_for_simulation(experiment=experiment, actor=staff(request), **asked)
        copy = simulations_of(experiment, reader=staff(request)).get(pk=made.pk)
        return Response(SimulationSerializer(copy).data, status=status.HTTP_201_CREATED)


class Simulation(APIView):
    audience = Audience.STAFF

    @extend_schema(operation_id="delete_simulation", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Stop the bots of a copy and put it into the bin."""
        delete_simulation(copy=experiment_of(request, slug, need=Access.MANAGE), actor=staff(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
