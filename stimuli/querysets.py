"""Questions asked of what is heard."""

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from core.models import User
    from stimuli.models import Collection


class CollectionQuerySet(models.QuerySet["Collection"]):
    def visible_to(self, user: "User") -> "CollectionQuerySet":
        return self if user.is_admin else self.filter(owner=user)

    def with_counts(self) -> "CollectionQuerySet":
        return self.annotate(
            item_count=models.Count("items", distinct=True), condition_count=models.Count("conditions", distinct=True)
        )
