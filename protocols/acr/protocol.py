"""Absolute category rating, ITU-T P.800: hear a clip once, say how good it was on a five-point scale."""

from core.i18n import gettext_noop as _
from rating.protocol import LabelSet, LabelStatus, Scale, ScaleLabels, ScaleProtocol
from rating.variance import OVERALL_QUALITY


class AbsoluteCategoryRating(ScaleProtocol):
    slug = "acr"
    version = "1.0"
    title = "Absolute category rating (P.800)"
    summary = _("Listeners hear one clip and rate its quality from 1 to 5.")
    scales = (Scale("QUALITY", low=1, high=5, published=OVERALL_QUALITY),)
    label_sets = (
        LabelSet(
            id="acr-en-1",
            language="en",
            version=1,
            status=LabelStatus.OFFICIAL,
            source="ITU-T P.800, listening-quality scale",
            scales={
                "QUALITY": ScaleLabels(
                    question="How good was the quality of this clip?",
                    anchors=((5, "Excellent"), (4, "Good"), (3, "Fair"), (2, "Poor"), (1, "Bad")),
                )
            },
        ),
        LabelSet(
            id="acr-fr-1",
            language="fr",
            version=1,
            status=LabelStatus.DRAFT,
            source="Earmark's own draft; not compared with the French edition of P.800",
            scales={
                "QUALITY": ScaleLabels(
                    question="Quelle était la qualité de cet extrait ?",
                    anchors=((5, "Excellente"), (4, "Bonne"), (3, "Passable"), (2, "Médiocre"), (1, "Mauvaise")),
                )
            },
        ),
    )
