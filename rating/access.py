"""The only way a view obtains an experiment: what somebody may not see does not exist for them."""

from core.models import User
from rating.errors import ExperimentNotFound
from rating.models import Experiment


def experiment_for(user: User, slug: str) -> Experiment:
    experiment = Experiment.objects.visible_to(user).select_related("collection", "owner").filter(slug=slug).first()
    if experiment is None:
        raise ExperimentNotFound(slug=slug)
    return experiment
