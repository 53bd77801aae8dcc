"""Serializers of core's models."""

from rest_framework import serializers

from core.models import Job


class ProgressSerializer(serializers.Serializer[Job]):
    done = serializers.IntegerField(source="progress_done")
    total = serializers.IntegerField(source="progress_total")
    note = serializers.CharField(source="progress_note")


class JobSerializer(serializers.ModelSerializer[Job]):
    progress = ProgressSerializer(source="*")
    error = serializers.SerializerMethodField()

    class Meta:
        model = Job
        fields = ["id", "name", "state", "attempts", "progress", "error"]
        read_only_fields = fields

    def get_error(self, job: Job) -> str:
        """The last line says what happened; the way there is for admins, on the service page."""
        return job.error.strip().rpartition("\n")[2]
