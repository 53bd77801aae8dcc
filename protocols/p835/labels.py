"""Label sets of P.835: the exact words of its scales, in English and in a French draft."""

from rating.protocol import LabelSet, LabelStatus, ScaleLabels

LABEL_SETS = (
    LabelSet(
        id="p835-en-1",
        language="en",
        version=1,
        status=LabelStatus.PUBLISHED,
        source="ITU-T P.835 as two public implementations print it; not yet compared with the Recommendation",
        scales={
            "SIG": ScaleLabels(
                word="SPEECH",
                attend="Attend ONLY to the SPEECH SIGNAL.",
                question="The SPEECH SIGNAL in this sample was",
                anchors=(
                    (5, "Not distorted"),
                    (4, "Slightly distorted"),
                    (3, "Somewhat distorted"),
                    (2, "Fairly distorted"),
                    (1, "Very distorted"),
                ),
            ),
            "BAK": ScaleLabels(
                word="BACKGROUND",
                attend="Attend ONLY to the BACKGROUND.",
                question="The BACKGROUND in this sample was",
                anchors=(
                    (5, "Not noticeable"),
                    (4, "Slightly noticeable"),
                    (3, "Noticeable but not intrusive"),
                    (2, "Somewhat intrusive"),
                    (1, "Very intrusive"),
                ),
            ),
            "OVRL": ScaleLabels(
                word="OVERALL",
                attend="Attend to the WHOLE sample, as in everyday speech communication.",
                question="The OVERALL SPEECH SAMPLE was",
                anchors=((5, "Excellent"), (4, "Good"), (3, "Fair"), (2, "Poor"), (1, "Bad")),
            ),
        },
    ),
    LabelSet(
        id="p835-fr-1",
        language="fr",
        version=1,
        status=LabelStatus.DRAFT,
        source="Earmark's own draft; not reviewed",
        scales={
            "SIG": ScaleLabels(
                word="PAROLE",
                attend="Écoutez UNIQUEMENT la PAROLE.",
                question="La PAROLE dans cet extrait présentait",
                anchors=(
                    (5, "Aucune distorsion"),
                    (4, "Une distorsion légère"),
                    (3, "Une distorsion modérée"),
                    (2, "Une distorsion assez forte"),
                    (1, "Une distorsion très forte"),
                ),
            ),
            "BAK": ScaleLabels(
                word="FOND SONORE",
                attend="Écoutez UNIQUEMENT le FOND SONORE.",
                question="Le FOND SONORE dans cet extrait était",
                anchors=(
                    (5, "Imperceptible"),
                    (4, "Légèrement perceptible"),
                    (3, "Perceptible mais pas gênant"),
                    (2, "Assez gênant"),
                    (1, "Très gênant"),
                ),
            ),
            "OVRL": ScaleLabels(
                word="ENSEMBLE",
                attend="Écoutez l'extrait dans son ENSEMBLE, comme dans une conversation ordinaire.",
                question="La qualité d'ENSEMBLE de cet extrait était",
                anchors=((5, "Excellente"), (4, "Bonne"), (3, "Passable"), (2, "Médiocre"), (1, "Mauvaise")),
            ),
        },
    ),
)
