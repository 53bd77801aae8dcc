"""Folds: each ballot's marks, written once and read as bytes until somebody votes again."""

from analysis import datasets
from analysis.codebook import Codebook
from analysis.models import FoldedBallot
from core.jobs import JobRun
from rating.models import Experiment


def refold(*, run: JobRun, experiment: Experiment, simulated: bool) -> int:
    """Fold every counted ballot that has votes and no current fold; return how many there were.

    The count of votes is read before the votes: a vote that arrives between makes the fold stale, never wrong.
    """
    from analysis.folding import BALLOTS_AT_ONCE, fold

    codebook = Codebook.of(experiment)
    stale = [
        sitting
        for sitting in datasets.sittings(experiment, codebook, simulated=simulated)
        if sitting.columns is None and sitting.vote_count
    ]
    for start in range(0, len(stale), BALLOTS_AT_ONCE):
        run.progress(start, len(stale), experiment.slug)
        some = stale[start : start + BALLOTS_AT_ONCE]
        columns = fold([sitting.ballot for sitting in some], codebook)
        rows = [
            FoldedBallot(
                ballot_id=sitting.ballot,
                vote_count=sitting.vote_count,
                codebook=codebook.sha256,
                columns=columns[sitting.ballot],
            )
            for sitting in some
        ]
        with run.fenced():
            FoldedBallot.objects.bulk_create(
                rows,
                update_conflicts=True,
                unique_fields=["ballot"],
                update_fields=["vote_count", "codebook", "columns"],
            )
    return len(stale)
