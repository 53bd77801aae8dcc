"""Names of the screening rules, and what each looks at, in words."""

from django.utils.translation import gettext as _


def rule_titles() -> dict[str, str]:
    return {
        "bt500": _("BT.500, unanimous clips left out"),
        "bt500-literal": _("BT.500, by the letter"),
        "p913": _("Correlation with the others (P.913)"),
        "p808": _("Correlation with all (P.808)"),
        "variance": _("Variance of answers"),
        "repeats": _("Self-consistency on repeats"),
        "attention": _("Attention checks"),
        "bs1534": _("Hidden reference (BS.1534)"),
        "sooner": _("Answers before the clip could end"),
        "quick": _("Median response time (ms)"),
    }


def rule_headings() -> dict[str, str]:
    """Names that fit above a column."""
    return {
        "bt500": "BT.500",
        "bt500-literal": _("BT.500, by the letter"),
        "p913": _("r, others (P.913)"),
        "p808": _("r, all (P.808)"),
        "variance": _("Variance"),
        "repeats": _("Repeats"),
        "attention": _("Checks failed"),
        "bs1534": "BS.1534",
        "sooner": _("Too soon"),
        "quick": _("Median time (ms)"),
    }


def rule_sentences() -> dict[str, str]:
    return {
        "bt500": _(
            "Share of votes at or beyond the limits of a clip, with as many above as below. Clips on which all agree "
            "count against nobody."
        ),
        "bt500-literal": _(
            "The same by the letter of the Recommendation, where clips on which all agree count against everybody."
        ),
        "p913": _("Pearson's r of a listener's votes with the mean of the others, below the threshold."),
        "p808": _("Pearson's r of a listener's votes with the mean of all, below the threshold."),
        "variance": _(
            "Variance of a listener's votes on all scales together, below the threshold: hardly any answer differs."
        ),
        "repeats": _("Mean difference of two votes on the same clip as a share of the scale, above the threshold."),
        "attention": _("Share of trap and gold clips that were not answered as expected, above the threshold."),
        "bs1534": _("Share of items on which the hidden reference got less than 90, above the threshold."),
        "sooner": _("Share of answers that came before the clip could have ended, above the threshold."),
        "quick": _("Median time from the end of a clip to the answer in ms, below the threshold."),
    }
