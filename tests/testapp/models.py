"""Rows that test jobs write."""

from django.db import models


class Effect(models.Model):
    """One row for every time that a job's effect took place; two rows with one key are a doubled effect."""

    key = models.CharField(max_length=100, db_index=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key
