"""Results: kept current by a job, read with letters until the experiment is unblinded."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Sum

from analysis import datasets
from analysis.blinding import letters
from analysis.models import Result
from analysis.registry import method, methods
from core.tasks import JobRun
from rating.models import Ballot, Experiment
from rating.registry import protocol


def refresh_stale(*, run: JobRun, experiment_id: str | None = None) -> None:
    """Compute every result (of one experiment) that is older than the newest vote: list what is missing, make it."""
    stale = list(stale_results(experiment_id))
    for done, (experiment, slug, simulated) in enumerate(stale):
        run.progress(done, len(stale), experiment.slug)
        refresh(run=run, experiment=experiment, slug=slug, simulated=simulated)


def refresh(*, run: JobRun, experiment: Experiment, slug: str, simulated: bool) -> None:
    """Compute one result from the votes there are. Votes that arrive meanwhile make it stale again, never wrong."""
    vote_count = votes_held(experiment, simulated=simulated)
    rules = method(slug)
    table = rules.run(datasets.marks(experiment, simulated=simulated))
    with run.fenced():
        Result.objects.update_or_create(
            experiment=experiment,
            method=slug,
            simulated=simulated,
            defaults={"method_version": rules.version, "vote_count": vote_count, "table": table},
        )


def stale_results(experiment_id: str | None = None) -> Iterator[tuple[Experiment, str, bool]]:
    """Yield experiment, method and whether simulated votes are included, for every result that is out of date."""
    known = {
        (result.experiment_id, result.method, result.simulated): (result.vote_count, result.method_version)
        for result in Result.objects.defer("table")
    }
    held = _votes_by_experiment(experiment_id)
    for experiment in Experiment.objects.filter(pk__in=held):
        main, simulated = held[experiment.pk]
        for slug in protocol(experiment.protocol).methods:
            version = methods()[slug].version
            for with_simulated, count in ((False, main), (True, main + simulated)):
                wanted = simulated if with_simulated else main
                if wanted and known.get((experiment.pk, slug, with_simulated)) != (count, version):
                    yield experiment, slug, with_simulated


def votes_held(experiment: Experiment, *, simulated: bool) -> int:
    main, extra = _votes_by_experiment(str(experiment.pk)).get(experiment.pk, (0, 0))
    return main + extra if simulated else main


def read_result(*, experiment: Experiment, slug: str, simulated: bool) -> dict[str, Any]:
    """Return the newest result as experimenters may see it now, and whether newer votes are waiting."""
    offered = protocol(experiment.protocol).methods
    rules = method(slug if slug in offered else "")
    result = Result.objects.filter(experiment=experiment, method=slug, simulated=simulated).first()
    held = votes_held(experiment, simulated=simulated)
    blind = experiment.unblinded_at is None
    return {
        "method": slug,
        "version": rules.version,
        "simulated": simulated,
        "blind": blind,
        "vote_count": result.vote_count if result else 0,
        "stale": held != (result.vote_count if result else 0),
        "computed_at": result.computed_at if result else None,
        "table": _shown(result.table if result else {"rows": []}, experiment, blind=blind),
    }


def condition_names(experiment: Experiment) -> dict[str, str]:
    """What each condition is called towards experimenters at this moment."""
    names = list(experiment.collection.conditions.values_list("name", flat=True))
    return letters(names, seed=experiment.seed) if experiment.unblinded_at is None else {name: name for name in names}


def _shown(table: Any, experiment: Experiment, *, blind: bool) -> Any:
    """Put letters in place of names, and rows into the order of what is shown, which tells nothing."""
    if not blind:
        return table
    names = condition_names(experiment)
    return {
        part: sorted(
            ({**row, "condition": names[row["condition"]]} for row in rows),
            key=lambda row: (row["scale"], len(row["condition"]), row["condition"]),
        )
        for part, rows in table.items()
    }


def _votes_by_experiment(experiment_id: str | None = None) -> dict[Any, tuple[int, int]]:
    ballots = Ballot.objects.filter(vote_count__gt=0)
    if experiment_id is not None:
        ballots = ballots.filter(experiment__pk=experiment_id)
    held: dict[Any, tuple[int, int]] = {}
    for pk, kind, votes in ballots.values_list("experiment", "kind").annotate(Sum("vote_count")):
        main, simulated = held.get(pk, (0, 0))
        held[pk] = (main + votes, simulated) if kind == Ballot.Kind.MAIN else (main, simulated + votes)
    return held
