"""Label sets of an experiment: those of its protocol, and own ones that were written for it."""

from collections.abc import Sequence

from core.errors import AppError
from core.i18n import gettext_noop as _
from rating.models import Experiment, OwnLabelSet
from rating.protocol import LabelSet, LabelStatus, Protocol, ScaleLabels
from rating.registry import get_protocol


def unknown_label_set(name: str, known: Sequence[str]) -> AppError:
    return AppError(
        "experiment.unknown_label_set",
        422,
        _("The protocol has no label set called '{label_set}'. Known: {known}."),
        label_set=name[:100],
        known=", ".join(known),
    )


def label_set_of(protocol: Protocol, name: str) -> LabelSet:
    """A label set of the protocol, or an own one of some experiment with it; their names are unique."""
    known = next((labels for labels in protocol.label_sets if labels.id == name), None)
    if known is not None:
        return known
    own = OwnLabelSet.objects.filter(name=name, protocol=protocol.slug).first()
    if own is None:
        raise unknown_label_set(name, [labels.id for labels in protocol.label_sets])
    return as_label_set(own)


def labels_of(experiment: Experiment) -> LabelSet:
    """The words of the experiment's scales."""
    return label_set_of(get_protocol(experiment.protocol), experiment.label_set)


def label_sets_of(experiment: Experiment) -> list[LabelSet]:
    """All that the experiment can choose from, its own last."""
    own = experiment.own_label_sets.filter(protocol=experiment.protocol)
    return [*get_protocol(experiment.protocol).label_sets, *map(as_label_set, own)]


def as_label_set(own: OwnLabelSet) -> LabelSet:
    return LabelSet(
        id=own.name,
        language=own.language,
        version=1,
        status=LabelStatus(own.status),
        source=own.based_on,
        scales={
            key: ScaleLabels(
                question=words["question"],
                anchors=tuple((value, label) for value, label in words["anchors"]),
                attend=words["attend"],
                word=words["word"],
            )
            for key, words in own.scales.items()
        },
    )
