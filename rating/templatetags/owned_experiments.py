"""`{% owned_experiments person %}`: how many experiments an account owns, on the page of accounts."""

from django import template

from core.models import User

register = template.Library()


@register.simple_tag
def owned_experiments(person: User) -> int:
    """Without those in the bin."""
    return person.experiments.filter(deleted_at__isnull=True).count()
