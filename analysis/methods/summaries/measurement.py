"""What is measured of one candidate by people's summaries: by all of them, or by any group."""

from collections.abc import Collection
from dataclasses import dataclass
from statistics import fmean

from analysis.methods.summaries.alignment import align
from analysis.methods.summaries.closest import Path, Search, find_closest
from analysis.methods.summaries.network import Network
from analysis.methods.summaries.ngrams import Bleu, StringPrecision
from analysis.methods.summaries.reading import Reading
from analysis.methods.summaries.utterances import Utterance

Scores = dict[str, float | None]  # by metric; None where a candidate is too short for p_n


@dataclass(frozen=True, slots=True)
class Rated:
    """A path as a target: SumACCY, the weight of its arcs, and the product of both, WSumACCY (equation 7)."""

    path: Path
    weight: float

    @property
    def sum_accy(self) -> float:
        return self.path.word_accuracy

    @property
    def w_sum_accy(self) -> float:
        return self.sum_accy * self.weight


@dataclass(frozen=True, slots=True)
class Measurement:
    network: Network
    search: Search
    target: Rated
    scores: Scores

    def near_ties(self, most: int) -> list[Rated]:
        return [_rate(self.network, path, self.search.boundaries) for path in self.search.near_ties(most)]


class Measured:
    """One candidate of one utterance, with all that does not depend on who the references are."""

    def __init__(self, utterance: Utterance, system: str, reading: Reading) -> None:
        self.candidate = utterance.candidates[system]
        self.references = utterance.references_for(system)
        self.pairs = {maker: align(self.candidate, summary) for maker, summary in self.references.items()}
        self._accuracy = {maker: pair.word_accuracy for maker, pair in self.pairs.items()}
        self._precision = StringPrecision(self.candidate, self.references, reading.longest_ngram)
        self._bleu = Bleu(self.candidate, self.references, utterance.tokens, reading.bleu_order)
        self._reading = reading

    def by(self, makers: Collection[str]) -> Measurement:
        network = Network.of([self.references[maker] for maker in makers])
        search = find_closest(network, self.candidate, self._reading)
        # The closest path is weighed; that another would be higher after weighing does not make it the target.
        target = _rate(network, search.best, self._reading.boundaries)
        accuracies = [self._accuracy[maker] for maker in makers]
        scores: Scores = {
            "sum_accy": target.sum_accy,
            "w_sum_accy": target.w_sum_accy,
            "bleu": self._bleu.among(makers),
            **{f"p_{n}": precision for n, precision in self._precision.among(makers).items()},
            # Against single people's summaries, which no network mixes.
            "wacc_mean": fmean(accuracies),
            "wacc_best": max(accuracies),
        }
        return Measurement(network, search, target, scores)


def _rate(network: Network, path: Path, boundaries: bool) -> Rated:
    return Rated(path, network.weight_of(path.words, boundaries=boundaries))
