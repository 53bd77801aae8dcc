"""Results: kept current by a job, read with letters until the experiment is unblinded."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import Count, Q, Sum

from analysis import datasets
from analysis.adjustment import PREFIX, adjusted
from analysis.adjustment import TABLES as MODEL_TABLES
from analysis.blinded_view import shown
from analysis.datasets import CountedBallot, Dataset, Progress
from analysis.exports import subject_id
from analysis.method import COMPLETE, Method, PageMethod
from analysis.models import Result
from analysis.registry import get_method, get_report, method_of, methods
from analysis.services.screening import screening_of
from core.jobs import JobRun
from listening.models import Exclusion, Seat
from listening.panels.services.exclusions import excluded_now
from rating.models import Ballot, Experiment
from rating.registry import get_protocol
from rating.services.experiments import condition_names

ITEMS_A_PAGE = 100
# Tables of every method that pollers are spared.
LONG = ("screening", *(f"{PREFIX}{part}" for part in MODEL_TABLES))
Rows = list[dict[str, Any]]


class Held(NamedTuple):
    """What counts at one moment: votes on ballots that stand, how many were given up, and how many are finished.

    Every exclusion counts once when it is made and once when it is lifted.
    """

    votes: int = 0
    abandoned: int = 0
    finished: int = 0
    exclusions: int = 0

    def and_also(self, other: "Held") -> "Held":
        return Held(*(mine + its for mine, its in zip(self, other, strict=True)))


def refresh_stale(
    *, run: JobRun, experiment_id: str | None = None, leave_out: Callable[[Experiment], bool] = lambda _: False
) -> None:
    """Compute every result (of one experiment) that is older than the newest vote: list what is missing, make it.

    Experiments that another job refreshes are to be left out: two jobs would take twice as long for the same figures.
    """
    stale = list(stale_results(experiment_id))
    for done, (experiment, slug, simulated) in enumerate(stale):
        run.progress(done, len(stale), experiment.slug)
        if leave_out(experiment):
            continue
        refresh(run=run, experiment=experiment, slug=slug, simulated=simulated)


def refresh(*, run: JobRun, experiment: Experiment, slug: str, simulated: bool) -> None:
    """Compute one result from the votes there are. Votes that arrive meanwhile make it stale again, never wrong."""
    held = votes_held(experiment, simulated=simulated)
    method = get_method(slug)
    if isinstance(method, PageMethod):
        parts = _from_pages(method, experiment, simulated=simulated)
    else:
        parts = _from_scores(method, experiment, simulated=simulated)
    for part in parts:
        with run.fenced():
            Result.objects.defer("table", "further").update_or_create(  # the tables of before are not read
                experiment=experiment,
                method=slug,
                simulated=simulated,
                defaults={
                    "method_version": method.version,
                    "vote_count": held.votes,
                    "abandoned_count": held.abandoned,
                    "finished_count": held.finished,
                    "exclusion_count": held.exclusions,
                    **part,
                },
            )


def _from_pages(method: PageMethod, experiment: Experiment, *, simulated: bool) -> Iterator[dict[str, Any]]:
    """Yield the main tables, and then those that take longer."""
    ballots, excluded = datasets.counted_ballots(experiment, simulated=simulated), excluded_now(experiment)
    pages = [
        page
        for page in datasets.answered_pages(experiment, ballots)
        if not excluded.reason(ballots[page.listener - 1].ballot, page.position)
    ]
    listeners = {page.listener for page in pages if page.kind == "test"}
    people = _heard_from(experiment, ballots, listeners, simulated=simulated)
    table = with_warnings(
        method.run(pages, datasets.material(experiment)), listener_warnings(experiment, ballots, people)
    )
    yield {"table": table, "complete": False}
    dataset = datasets.read_dataset(experiment, simulated=simulated)
    screening = screening_of(experiment, dataset, table, method=None, simulated=simulated)
    yield {"further": screening, "complete": True}


def _from_scores(method: Method, experiment: Experiment, *, simulated: bool) -> Iterator[dict[str, Any]]:
    """Yield the main tables, and then those that take longer.

    Beside the figures of all listeners stand the first ones of those who answered everything.
    """
    dataset = datasets.read_dataset(experiment, simulated=simulated)
    ballots, scores = dataset.ballots, datasets.not_excluded(dataset.scores)
    listeners = set(scores["listener"][scores["kind"] == "test"].unique())
    people = _heard_from(experiment, ballots, listeners, simulated=simulated)
    complete = [each.listener for each in people if each.complete]
    scores = scores.assign(**{COMPLETE: scores["listener"].isin(complete)})
    apart = method.sets_incomplete_apart and bool(complete)
    table = with_warnings(method.run(scores), listener_warnings(experiment, ballots, people, apart=apart))
    if method.rates_conditions and len(scores):
        table = with_warnings(table, _about_short_clips(experiment, dataset, table["items"], simulated=simulated))
    if 0 < len(complete) < len(people) and not method.sets_incomplete_apart:
        table["complete_listeners"] = method.run(scores[scores[COMPLETE]])["rows"]
    yield {"table": table, "complete": False}
    screening = screening_of(experiment, dataset, table, method=method, simulated=simulated)
    yield {"further": method.further(scores, table) | screening, "complete": True}


def _heard_from(
    experiment: Experiment, ballots: Sequence[CountedBallot], listeners: Collection[int], *, simulated: bool
) -> list[Progress]:
    """Return how far those have come who gave an answer in the test itself."""
    progress = datasets.progress(experiment, ballots, simulated=simulated)
    return [each for each in progress if each.listener in listeners]


def listener_warnings(
    experiment: Experiment, ballots: Sequence[CountedBallot], people: Sequence[Progress], *, apart: bool = False
) -> Rows:
    """Return each warning as a code and its numbers; who shows it finds the words.

    Incomplete listeners are `apart` where figures over listeners are made without them.
    """
    return [*_about_incomplete(ballots, people, apart=apart), *_about_panels(experiment, ballots, people)]


def _about_short_clips(experiment: Experiment, dataset: Dataset, items: Rows, *, simulated: bool) -> Rows:
    """Clips that have fewer answers on a scale than the seats that were planned to hear them.

    Planned is what was answered, excluded answers included, and what is open. While a test fills up there is ever less
    of the second, so that it is counted in less time than the whole plan.
    """
    tested = dataset.scores[dataset.scores["kind"] == "test"]
    planned: Counter[Any] = Counter(tested.groupby(["scale", "item", "condition"], observed=True).size().to_dict())
    planned.update(datasets.unanswered(experiment, simulated=simulated))
    given = {(row["scale"], row["item"], row["condition"]): row["n_votes"] for row in items}
    found: Rows = []
    for scale in sorted({key[0] for key in planned}):
        cells = [(given.get(key, 0), count) for key, count in planned.items() if key[0] == scale]
        short = [(votes, count) for votes, count in cells if votes < count]
        if short:
            least, most = min(short)
            sizes = {"cells": len(short), "of": len(cells), "least": least, "planned": most}
            found.append({"code": "few_votes", "scale": scale, **sizes})
    return found


def with_warnings(table: Mapping[str, Any], warnings: Rows) -> dict[str, Any]:
    return {**table, "warnings": [*table.get("warnings", []), *warnings]}


def _about_incomplete(ballots: Sequence[CountedBallot], people: Sequence[Progress], *, apart: bool) -> Rows:
    """A person who gave one answer and left would weigh as much as everybody else in a mean over listeners."""
    named = [
        {
            "listener": subject_id(ballot.participant, ballot.ballot),
            "panel": ballot.panel,
            "pages": each.pages,
            "of_pages": each.of_pages,
        }
        for each in people
        if not each.complete
        for ballot in [ballots[each.listener - 1]]
    ]
    found = {
        "code": "incomplete_listeners",
        "listeners": len(named),
        "of": len(people),
        "people": named,
        "apart": apart,
    }
    return [found] if named else []


def _about_panels(experiment: Experiment, ballots: Sequence[CountedBallot], people: Sequence[Progress]) -> Rows:
    """Panels of one group of people are meant to have the same number of listeners."""
    heard = Counter(ballots[each.listener - 1].panel for each in people)
    found: Rows = []
    panels = experiment.panels.order_by("group", "number").values_list("group", "number")
    for group, rows in groupby(panels if people else (), key=lambda row: row[0]):
        filled = [{"panel": number, "n_listeners": heard[number]} for _, number in rows]
        if len({each["n_listeners"] for each in filled}) > 1:
            found.append({"code": "unequal_panels", "group": group, "panels": filled})
    return found


def stale_results(experiment_id: str | None = None) -> Iterator[tuple[Experiment, str, bool]]:
    """Yield experiment, method and whether simulated votes are included, for every result that is out of date."""
    known_results = Result.objects.defer("table", "further")
    if experiment_id is not None:
        known_results = known_results.filter(experiment__pk=experiment_id)
    known = {
        (result.experiment_id, result.method, result.simulated): result.complete
        and (held_then(result), result.method_version)
        for result in known_results
    }
    by_experiment = _held_by_experiment(experiment_id)
    for experiment in Experiment.objects.filter(pk__in=by_experiment):
        main, simulated = by_experiment[experiment.pk]
        both = main.and_also(simulated)
        slug = method_of(experiment.protocol)
        for with_simulated, held, wanted in ((False, main, main), (True, both, simulated)):
            key = (experiment.pk, slug, with_simulated)
            if (wanted.votes or key in known) and known.get(key) != (held, methods()[slug].version):
                yield experiment, slug, with_simulated


def votes_held(experiment: Experiment, *, simulated: bool) -> Held:
    main, extra = _held_by_experiment(str(experiment.pk)).get(experiment.pk, (Held(), Held()))
    return main.and_also(extra) if simulated else main


def held_then(result: Result) -> Held:
    """What counted when a result was computed."""
    return Held(result.vote_count, result.abandoned_count, result.finished_count, result.exclusion_count)


def read_state(*, experiment: Experiment, slug: str, simulated: bool) -> dict[str, Any]:
    """Return which edition of the figures is the newest and whether newer votes are waiting, without any figures."""
    _known_method(experiment, slug)
    stored = Result.objects.filter(experiment=experiment, method=slug, simulated=simulated)
    return _state(experiment, stored.defer("table", "further").first(), simulated=simulated)


def _known_method(experiment: Experiment, slug: str) -> Method | PageMethod:
    """Return the method that analyses the experiment; another name is an error."""
    return get_method(slug if slug == method_of(experiment.protocol) else "")


def _state(experiment: Experiment, result: Result | None, *, simulated: bool) -> dict[str, Any]:
    then = held_then(result) if result else Held()
    blind = experiment.unblinded_at is None
    newer = votes_held(experiment, simulated=simulated) != then
    stale = newer or bool(result and not result.complete)
    computed_at = result.computed_at if result else None
    return {
        "vote_count": then.votes,
        "stale": stale,
        "main_current": not newer,
        "computed_at": computed_at,
        # Changes when the page should. That figures are being updated is said on the page as it is.
        "edition": f"{then.votes} {then.abandoned} {then.exclusions} {stale and not result} {blind} {computed_at}",
    }


def read_result(
    *, experiment: Experiment, slug: str, simulated: bool, long: bool = False, adjust: str = ""
) -> dict[str, Any]:
    """Return the newest result as experimenters may see it now, and whether newer votes are waiting.

    Long tables are left out unless asked for; read_items gives them page by page. With `adjust`, the mixed model is the
    one that is adjusted for it.
    """
    protocol = get_protocol(experiment.protocol)
    version = _known_method(experiment, slug).version
    result = Result.objects.filter(experiment=experiment, method=slug, simulated=simulated).first()
    blind, reader = experiment.unblinded_at is None, get_report(slug)
    left_out = () if long else (*reader.long, *LONG)
    whole = adjusted(result.tables, adjust) if result else {}
    table = {part: rows for part, rows in whole.items() if part not in left_out}
    keys = [scale.key for scale in protocol.scales]
    return {
        "method": slug,
        "version": result.method_version if result else version,
        "simulated": simulated,
        "blind": blind,
        **_state(experiment, result, simulated=simulated),
        "counts": table.get("counts") or {},
        "scales": [{"key": scale.key, "low": scale.low, "high": scale.high} for scale in protocol.scales],
        "table": {"rows": []}
        | shown(
            table,
            names=condition_names(experiment),
            blind=blind,
            scales=keys,
            open_only=reader.open_only,
        ),
    }


def read_items(
    *, experiment: Experiment, slug: str, simulated: bool, part: str = "items", scale: str = "", page: int = 1
) -> dict[str, Any]:
    """Return one page of a long table, of the first one where none is named: of a MOS, the items of the test."""
    result = read_result(experiment=experiment, slug=slug, simulated=simulated, long=True)
    long = get_report(slug).long
    every = result["table"].get(part, []) if part in long else result["table"].get(next(iter(long), ""), [])
    rows = [row for row in every if row.get("scale") == scale] if scale else every
    pages = max(1, -(-len(rows) // ITEMS_A_PAGE))
    page = min(max(page, 1), pages)
    start = (page - 1) * ITEMS_A_PAGE
    return {"total": len(rows), "page": page, "pages": pages, "rows": rows[start : start + ITEMS_A_PAGE]}


def _held_by_experiment(experiment_id: str | None = None) -> dict[Any, tuple[Held, Held]]:
    """What counts of main and of simulated ballots, by experiment; previews and rehearsals never count."""
    ballots = Ballot.objects.filter(vote_count__gt=0, kind__in=[Ballot.Kind.MAIN, Ballot.Kind.SIMULATED])
    exclusions = Exclusion.objects.order_by()
    if experiment_id is not None:
        ballots = ballots.filter(experiment__pk=experiment_id)
        exclusions = exclusions.filter(seat__panel__experiment__pk=experiment_id)
    stands = Q(abandoned_at__isnull=True)
    rows = ballots.values_list("experiment", "kind").annotate(
        standing=Sum("vote_count", filter=stands, default=0),
        given_up=Count("id", filter=~stands),
        finished=Count("id", filter=stands & Q(seat__state=Seat.State.FINISHED)),
    )
    changes = exclusions.values_list("seat__panel__experiment", "seat__ballot__kind").annotate(
        count=Count("id") + Count("lifted_at")
    )
    changed = {(pk, kind): count for pk, kind, count in changes}
    found: dict[Any, tuple[Held, Held]] = {}
    for pk, kind, votes, given_up, finished in rows:
        main, simulated = found.get(pk, (Held(), Held()))
        held = Held(votes, given_up, finished, changed.get((pk, kind), 0))
        found[pk] = (held, simulated) if kind == Ballot.Kind.MAIN else (main, held)
    return found
