"""The words of THumBS in our own wording, after the rubric of the soundscape assessment of 2024."""

from rating.protocol import LabelSet, LabelStatus, ScaleLabels

ENGLISH = {
    "PRECISION": ScaleLabels(
        word="Precision",
        question="How correct is what the caption says about the soundscape?",
        attend="Lower it for every statement that does not fit what you hear.",
        anchors=((5, "Everything it says is right"), (1, "Hardly anything it says is right")),
    ),
    "RECALL": ScaleLabels(
        word="Recall",
        question="How much of what stands out in the soundscape does the caption mention?",
        attend="Sources, their attributes, and how they relate. Lower it for everything that is missing.",
        anchors=((5, "Nothing important is missing"), (1, "Hardly anything is mentioned")),
    ),
    "FLUENCY": ScaleLabels(
        word="Fluency",
        question="Penalty for bad English, whatever the sound",
        attend="-0.1 for what a grammar checker would mend; -0.5 or lower for doubled, ambiguous or broken sentences.",
        anchors=((0, "None"), (-0.1, "Easily corrected"), (-0.5, "Severe"), (-2, "As bad as it gets")),
    ),
    "CONCISENESS": ScaleLabels(
        word="Conciseness",
        question="Penalty for saying the same thing again",
        attend="Also where it is said in other words.",
        anchors=((0, "None"), (-0.1, "Slight"), (-0.5, "Severe"), (-2, "As bad as it gets")),
    ),
    "IRRELEVANCE": ScaleLabels(
        word="Irrelevance",
        question="Penalty for details that do not matter, or for sources that are not there",
        attend="A source that is not there lowers precision, too: that it counts twice is meant so.",
        anchors=((0, "None"), (-0.1, "Slight"), (-0.5, "Severe"), (-2, "As bad as it gets")),
    ),
    "OVERALL": ScaleLabels(
        word="Overall",
        question="The mean of precision and recall, plus the penalties, which are negative",
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
