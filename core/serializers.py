"""Serializers of core's models, and how a request is read by one."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from core.models import Job


class ProgressSerializer(serializers.Serializer[Job]):
    done = serializers.IntegerField(source="progress_done")
    total = serializers.IntegerField(source="progress_total")
    note = serializers.CharField(source="progress_note")


class JobSerializer(serializers.ModelSerializer[Job]):
    progress = ProgressSerializer(source="*")
    waiting = serializers.CharField(
        source="waiting_note", help_text="Place in the queue and when it will start; empty where it does not wait."
    )
    error = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = ["id", "name", "state", "attempts", "waiting", "progress", "error"]
        read_only_fields = fields

    def get_error(self, job: Job) -> str:
        """The last line says what happened; the way there is for admins, on the service page."""
        return job.error.strip().rpartition("\n")[2]


def validated(kind: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """The fields of a request as the serializer reads them; where some are wrong, an error lists them."""
    asked = kind(data=request.data)
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)
