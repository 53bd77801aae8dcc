"""Time from the last vote of 20,000 until the page of results shows the model with it, in Chromium: ACR and P.835."""

import os
import time
from collections.abc import Iterator
from statistics import median

from playwright.sync_api import Page, sync_playwright

from analysis.models import Result
from bench.mos import ACR, P835, Shape, voted
from bench.processes import NO_CHROMIUM, chromium_for_pages
from rating.models import Ballot, Experiment
from rating.services.votes import cast_vote
from scripts.provision import CHROMIUM_FLAGS
from scripts.testserver import running
from tests.factories import marks, vote_event
from tests.people import browser_of
from tests.servers import free_port

TESTS = (
    ("20,000 votes (40 listeners x 100 items x 5 conditions)", ACR, 40),
    ("20,000 votes on three scales (P.835, 42 listeners in 4 panels of 32 items x 5 conditions)", P835, 42),
)
ROUNDS = 5
AIM_S = 2.0
PATIENCE_MS = 60_000
SHOWS = """(answers) => {
  const status = document.querySelector("[data-result] [role=status]");
  const rows = document.querySelectorAll("[data-result-table] tbody tr").length;
  return rows >= 5 && status?.textContent.includes(`with ${answers} answers`);
}"""


def run() -> Iterator[str]:
    program = chromium_for_pages()
    if program is None:
        yield NO_CHROMIUM
        return
    experiments = [(size, _live(shape, listeners)) for size, shape, listeners in TESTS]
    with running(port=free_port(), environment=dict(os.environ)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(program), args=CHROMIUM_FLAGS)
        for size, experiment in experiments:
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            cookie = browser_of(experiment.owner).cookies["earmark"].value
            context.add_cookies([{"name": "earmark", "value": cookie, "url": address}])
            url = f"{address}/experiments/{experiment.slug}/results/"
            yield from _measured(context.new_page(), experiment, url, size)
            context.close()
        browser.close()


def _live(shape: Shape, listeners: int) -> Experiment:
    experiment = voted(shape, listeners=listeners, left_open=2 * ROUNDS)
    Experiment.objects.filter(pk=experiment.pk).update(state=Experiment.State.LIVE, design_sha256="0" * 64)
    return experiment


def _measured(page: Page, experiment: Experiment, url: str, size: str) -> Iterator[str]:
    page.goto(url)
    _wait(page, experiment)
    for what, opened_first in (("a page that is open", True), ("a page that is opened then", False)):
        taken = [_after_a_vote(page, experiment, url, opened_first=opened_first) for _ in range(ROUNDS)]
        yield (
            f"{size}: {what} shows the model with the last vote {median(taken):.2f} s after it is acknowledged, at "
            f"most {max(taken):.2f} s of {ROUNDS} (aim {AIM_S:g}); load of the machine {os.getloadavg()[0]:.1f}"
        )


def _after_a_vote(page: Page, experiment: Experiment, url: str, *, opened_first: bool) -> float:
    while Result.objects.filter(experiment=experiment, complete=False).exists():
        time.sleep(0.05)  # what takes longer of the vote before
    if not opened_first:
        page.goto("about:blank")
    ballot = Ballot.objects.filter(experiment=experiment).order_by("vote_count").first()
    if ballot is None:
        raise RuntimeError("nobody has a page left to answer")
    trial = ballot.trials.filter(answered=False)[0]
    answer = cast_vote(ballot_id=ballot.pk, event=vote_event(trial, payload=marks(4, scale=trial.ask[0])))
    if answer.status != "stored":
        raise RuntimeError(f"the vote was not stored: {answer}")
    began = time.perf_counter()
    if not opened_first:
        page.goto(url, wait_until="commit")
    _wait(page, experiment)
    return time.perf_counter() - began


def _wait(page: Page, experiment: Experiment) -> None:
    answers = sum(Ballot.objects.filter(experiment=experiment).values_list("vote_count", flat=True))
    page.wait_for_function(SHOWS, arg=f"{answers:,}", timeout=PATIENCE_MS, polling=20)
