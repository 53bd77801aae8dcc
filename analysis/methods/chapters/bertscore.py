"""BERTScore of titles, where the package for it is installed; nothing else loads it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from analysis.methods.chapters.errors import BertScoreMissing
from analysis.methods.chapters.titles import Similarity
from analysis.methods.chapters.words import Agreement
from core.clauses import clause


def load_bertscore(language: str) -> Similarity:
    """Load the model of a language (ISO 639-1) once; it may be fetched over the network, and takes seconds."""
    try:
        scorer = import_module("bert_score").BERTScorer(lang=language)
    except ImportError as problem:
        raise BertScoreMissing(problem=clause("the Python package bert-score is not installed")) from problem
    except (
        OSError,
        KeyError,
        AssertionError,
    ) as problem:  # no model on the disk nor to be had, or none of the language
        unfit = clause("its model for the language '{language}' cannot be loaded", language=language)
        raise BertScoreMissing(problem=unfit) from problem

    def similarity(pairs: Sequence[tuple[str, str]]) -> list[Agreement]:
        given, wanted = zip(*pairs, strict=True)
        scores = scorer.score(list(given), list(wanted))
        return [Agreement(*(float(value) for value in row)) for row in zip(*scores, strict=True)]

    return similarity
