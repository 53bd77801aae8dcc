"""Label set of THumBS in our own wording, after the rubric of the soundscape assessment of 2024."""

from rating.protocol import LabelSet, LabelStatus, ScaleLabels

PENALTY_ANCHORS = ((0, "None"), (-0.1, "Slight"), (-0.5, "Severe"), (-1, "Very severe"), (-2, "Worst"))

ENGLISH = {
    "PRECISION": ScaleLabels(
        word="Precision",
        question="How correct is what the caption says about the soundscape?",
        attend="Lower it for every statement that does not match what you hear.",
        anchors=((5, "Everything it says is right"), (1, "Hardly anything it says is right")),
    ),
    "RECALL": ScaleLabels(
        word="Recall",
        question="How much of what stands out does the caption mention?",
        attend="Sources, what they are like, and how they relate. Lower it for everything important that is missing.",
        anchors=((5, "Nothing important is missing"), (1, "Hardly anything is mentioned")),
    ),
    "FLUENCY": ScaleLabels(
        word="Fluency",
        question="Penalty for poor English, whatever the sound",
        attend="−0.1 for what a grammar checker would correct; −0.5 or lower for ambiguous, repeated or broken parts.",
        anchors=PENALTY_ANCHORS,
    ),
    "CONCISENESS": ScaleLabels(
        word="Conciseness",
        question="Penalty for saying the same thing twice",
        attend="Also when it is repeated in other words.",
        anchors=PENALTY_ANCHORS,
    ),
    "IRRELEVANCE": ScaleLabels(
        word="Irrelevance",
        question="Penalty for unimportant details, or for sounds that are not there",
        attend="A sound that is not there lowers precision as well. This is intended.",
        anchors=PENALTY_ANCHORS,
    ),
    "OVERALL": ScaleLabels(
        word="Overall",
        question="The mean of precision and recall, minus the penalties",
        anchors=((5, "Best"), (-5, "Worst")),
    ),
    "SYNTHESISED": ScaleLabels(
        word="Synthesised",
        question="Is this soundscape synthesised?",
        anchors=((1, "Yes"), (0, "No")),
    ),
}

LABEL_SETS = (
    LabelSet(
        id="thumbs-en-1",
        language="en",
        version=1,
        status=LabelStatus.REVIEWED,
        source="Earmark's own wording of the THumBS rubric (Hou et al. 2024, after Kasai et al. 2022)",
        scales=ENGLISH,
    ),
)
