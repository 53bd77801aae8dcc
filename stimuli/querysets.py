"""Questions asked of what is heard."""

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from core.models import User
    from stimuli.models import Collection, Intake, IntakeFile


class CollectionQuerySet(models.QuerySet["Collection"]):
    def visible_to(self, user: "User") -> "CollectionQuerySet":
        """Own collections and those of shared experiments; an admin sees all."""
        readable = self.model.readers.through.objects.filter(user=user).values("collection")
        return self if user.is_admin else self.filter(models.Q(owner=user) | models.Q(pk__in=readable))

    def with_counts(self) -> "CollectionQuerySet":
        return self.annotate(
            item_count=models.Count("items", distinct=True), condition_count=models.Count("conditions", distinct=True)
        )


class IntakeQuerySet(models.QuerySet["Intake"]):
    def visible_to(self, user: "User") -> "IntakeQuerySet":
        """Imports are seen by those who made them, and by admins."""
        return self if user.is_admin else self.filter(owner=user)

    def unfinished(self) -> "IntakeQuerySet":
        states = self.model.State
        return self.filter(state__in=[states.RECEIVING, states.CHECKING, states.PROPOSED, states.IMPORTING])


class IntakeFileQuerySet(models.QuerySet["IntakeFile"]):
    def incomplete(self) -> "IntakeFileQuerySet":
        return self.filter(received_bytes__lt=models.F("byte_count"))
