"""Meanings of the columns of tables of results, for the sidecars in the dataset."""

from collections.abc import Iterable

ELSEWHERE = "A figure of the method; its page in the documentation explains it."
MEANINGS = {
    "table": "Which table of the page the row is of.",
    "unit": "What the interval is over: model, listener, item, two-way, vote or vote-1.96.",
    "scale": "The scale.",
    "condition": "The condition: a letter until the experiment is unblinded, then its name.",
    "against": "The condition that it is compared with.",
    "panel": "The number of the panel.",
    "factor": "A factor of the items.",
    "level": "A level of the factor.",
    "item": "The item's name.",
    "session": "The session of the plan.",
    "order": "The order in which the scales were asked.",
    "against_order": "The order that it is compared with.",
    "pairing": "How the two were paired.",
    "n_votes": "How many votes the figure is made of.",
    "n_listeners": "How many listeners.",
    "n_items": "How many items.",
    "mos": "The mean opinion score.",
    "difference": "The difference of two means.",
    "slope_per_100_pages": "How much votes change over a hundred pages.",
    "residual": "The standard deviation that is left.",
    "sd": "The standard deviation over the unit.",
    "ci_low": "The lower end of the 95 % interval.",
    "ci_high": "The upper end of the 95 % interval.",
    "ci_bounded_low": "The lower end of the bounded 95 % interval of a clip, which has a width where all votes agree.",
    "ci_bounded_high": "Its upper end.",
    "ci90_low": "The lower end of the 90 % interval, for a test of equivalence.",
    "ci90_high": "The upper end of the 90 % interval, for a test of equivalence.",
    **{f"votes_{value}": f"How many votes were {value}." for value in range(1, 6)},
    "share_lowest": "The share of votes at the lowest point.",
    "share_highest": "The share of votes at the highest point.",
    "good_or_better": "The share of votes of 4 or 5.",
    "poor_or_worse": "The share of votes of 1 or 2.",
    "se": "The standard error of the mixed model.",
    "df": "Satterthwaite's degrees of freedom.",
    "letters": "Conditions that share a letter do not differ significantly.",
    "t": "The t statistic.",
    "p": "The p value.",
    "p_holm": "The same after Holm's adjustment over all pairs.",
    "p_holm_against": "The same after Holm's adjustment over the comparisons with `against`.",
    "component": "A variance component of the mixed model.",
    "variance": "Its variance.",
    "share": "Its share of all variance.",
    "n_pairs": "How many clips the listener rated twice.",
    "mean_difference": "The mean absolute difference of the two ratings.",
    "r": "Pearson's r between them, from three pairs on.",
    "ccc": "Lin's concordance between them.",
    "ccc_low": "The lower end of its 95 % interval.",
    "ccc_high": "The upper end of its 95 % interval.",
    "adjusted_for": "What the mixed model is adjusted for: panel, session, order or all of them, as fixed effects.",
    "adjusted_factors": "The factors that this stands for, of those that vary.",
    "dropped": "Why it has no estimate of its own (zero, fixed, error or same), or nothing.",
    "reml_criterion": "The REML criterion of the model.",
}


def described(columns: Iterable[str]) -> dict[str, str]:
    """Each of these columns with its meaning."""
    return {name: MEANINGS.get(name, ELSEWHERE) for name in columns}
