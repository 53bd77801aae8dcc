"""Journeys by pointer, touch and keyboard: revised, loaded again, without a network and in a second tab."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from listening.models import Seat
from listening.panels.services import panels
from listening.panels.services.session_settings import change_session_settings
from protocols.speech_summaries.protocol import JUDGE, MAKER
from rating.models import Trial, Vote
from rating.registry import protocols
from rating.services.experiments import go_live
from tests.e2e import captions, test_chapters
from tests.e2e.conftest import Platform, intercepted
from tests.e2e.listener import (
    HEARD,
    MOVED_ON,
    PHONE,
    KeyboardListener,
    PointerListener,
    TouchListener,
)
from tests.e2e.test_accessibility import scan
from tests.e2e.test_plane import Board
from tests.factories import make_experiment, token_without_sound_check
from tests.protocols.speech_summaries.material import summaries_experiment
from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TABLET = {"viewport": {"width": 1280, "height": 800}, "has_touch": True}
CHANGED = "This page was changed in another tab"
NEXT_ONE = "Here is the next one."

Hands = type[PointerListener]
Devices = Callable[..., BrowserContext]
HANDS: tuple[Hands, ...] = (PointerListener, TouchListener, KeyboardListener)


def by_all_hands(*tasks: "Clips | Workspace") -> pytest.MarkDecorator:
    """Each task with each hand; a short run takes each task once and all hands in turn."""
    cases = [
        pytest.param(task, hands, id=f"{task.name}-{hands.__name__}", marks=[pytest.mark.long] * (hands != task.short))
        for task in tasks
        for hands in HANDS
    ]
    return pytest.mark.parametrize(("task", "hands"), cases)


def state(page: Page, wanted: str) -> None:
    expect(page.locator("#save-state")).to_have_attribute("data-state", wanted)


def come_back(listener: PointerListener, heading: str) -> None:
    listener.page.reload()
    expect(listener.page.locator("#instructions h1")).to_have_text(heading)
    listener.start()


def second_tab(listener: PointerListener) -> PointerListener:
    """The same visit once more in the same browser."""
    other = type(listener)(listener.page.context.new_page())
    other.page.goto(listener.page.url)
    other.start()
    return other


def payloads(position: int) -> list[Any]:
    """What was answered on a page, oldest first; no answer stood against another."""
    votes = Vote.objects.filter(trial__position=position).order_by("id")
    assert {vote.outcome for vote in votes} <= {"accepted"}
    return [vote.payload for vote in votes]


# --- Clips: heard, answered and closed one by one; the answer before can be opened again ------------------------------


@dataclass(frozen=True)
class Clips:
    """Pages on which one of the first two answers is chosen."""

    name: str
    so_far: str  # what is said after two pages
    short: Hands
    parts: dict[str, Any] = field(default_factory=dict)

    def link(self, platform: Platform) -> str:
        experiment = make_experiment(protocol=self.name, live=False, **self.parts)
        return platform.url(f"/join/{token_without_sound_check(experiment)}/")

    def rate(self, listener: PointerListener, value: int) -> None:
        listener.rate(value)

    def answers(self, position: int) -> list[int]:
        return [payload["marks"][0]["value"] for payload in payloads(position)]


class Comparisons(Clips):
    """Three sounds to switch between, and two answers."""

    def rate(self, listener: PointerListener, value: int) -> None:
        page, position = listener.page, listener.position()
        for sound in "abx":
            button = page.locator(f".abx__sound[data-sound={sound}]")
            expect(button).to_be_enabled()
            listener.act(button, sound)
            expect(button).to_have_attribute("data-heard", "")
        page.wait_for_selector(HEARD)
        listener.choose(value)
        listener.go_on()
        page.wait_for_function(MOVED_ON, arg=position)

    def answers(self, position: int) -> list[int]:
        return [1 + "ab".index(payload["answer"]) for payload in payloads(position)]


CLIPS = [
    Clips("acr", "You have answered 2 of 4 clips.", TouchListener),
    Clips(
        "p835",
        "Your work so far is saved.",
        KeyboardListener,
        {"items": 2, "conditions": 1, "options": {"sessions": 1}},
    ),
    Clips("dcr", "You have answered 2 of 4 pairs.", PointerListener, {"options": {"gap_s": 0.1}}),
    Comparisons(
        "abx", "You have answered 2 of 4 comparisons.", PointerListener, {"items": 4, "options": {"repetitions": 1}}
    ),
]


@by_all_hands(*CLIPS)
def test_an_answer_is_kept_changed_and_sent_later_and_a_second_tab_goes_on_from_there(
    task: Clips, hands: Hands, platform: Platform, device: Devices
) -> None:
    context = device(**(PHONE if hands is TouchListener else {}))
    page = context.new_page()
    listener = hands(page)
    listener.join(task.link(platform))
    listener.start()
    first = listener.position()

    def previous(listener: PointerListener, value: int) -> None:
        """Open the answer before, which is this one."""
        listener.open_previous()
        expect(listener.page.locator("label:has(input:checked) .scale__value")).to_have_text(str(value))

    def go_on(listener: PointerListener) -> None:
        position = listener.position()
        listener.go_on()
        listener.page.wait_for_function(MOVED_ON, arg=position)

    task.rate(listener, 2)
    second = listener.position()
    previous(listener, 2)
    assert listener.position() == first
    go_on(listener)
    previous(listener, 2)
    listener.choose(1)
    listener.act(page.get_by_role("button", name="Keep my answer"), "Escape")
    page.wait_for_function(MOVED_ON, arg=first)
    assert listener.position() == second
    state(page, "saved")
    assert [task.answers(1), task.answers(2)] == [[2], []]

    context.set_offline(True)  # the second clip has arrived: Previous was pressed beside it
    previous(listener, 2)
    listener.choose(1)
    go_on(listener)
    expect(page.locator("#save-state")).to_have_text("1 answer waiting to send")
    task.rate(listener, 2)
    expect(page.locator("#save-state")).to_have_text("2 answers waiting to send")
    assert task.answers(1) == [2]
    context.set_offline(False)
    state(page, "saved")
    assert [task.answers(1), task.answers(2)] == [[2, 1], [2]]

    third = listener.position()
    come_back(listener, task.so_far)
    assert listener.position() == third
    previous(listener, 2)
    go_on(listener)

    other = second_tab(listener)
    assert other.position() == third
    task.rate(other, 1)
    expect(page.locator("#notice")).to_contain_text(NEXT_ONE)
    page.wait_for_function(MOVED_ON, arg=third)
    expect(page.locator("#previous")).to_be_hidden()
    previous(other, 1)
    other.choose(2)
    go_on(other)
    state(other.page, "saved")
    assert [task.answers(position) for position in (1, 2, 3, 4)] == [[2, 1], [2], [1, 2], []]


# --- Workspaces: every change is kept, until the page is finished -----------------------------------------------------


class Workspace(ABC):
    """A page with one thing on it that is changed up to four times."""

    name: str
    short: Hands
    pages = 2
    phone = True  # whether it can be done on one
    values: tuple[Any, ...] = (1, 2, 3, 4)  # what the server has after each change

    @abstractmethod
    def link(self, platform: Platform) -> str: ...

    def begin(self, listener: PointerListener) -> None:
        """Go from the start of the visit to the page."""
        expect(listener.page.locator("#workspace")).to_be_visible()

    @abstractmethod
    def change(self, listener: PointerListener, number: int) -> None: ...

    @abstractmethod
    def shows(self, page: Page, number: int) -> None: ...

    @abstractmethod
    def read(self, payload: Any) -> Any:
        """What the change is about, in an answer."""

    def set_offline(self, page: Page, offline: bool) -> None:
        page.context.set_offline(offline)

    @abstractmethod
    def finish(self, listener: PointerListener) -> None:
        """Do what is missing, and close the page."""

    def revise(self, listener: PointerListener) -> int:
        """Open the page again after it was finished and change it, where that is offered; which change stands then."""
        return 0


class Captions(Workspace):
    name = "thumbs"
    short = TouchListener

    def link(self, platform: Platform) -> str:
        return captions.invitation(platform, synthesised=False)

    def begin(self, listener: PointerListener) -> None:
        expect(listener.page.get_by_text("The car is said twice.")).to_be_visible()
        listener.act(listener.page.locator("[data-act=next]"), "Enter")
        listener.page.locator(captions.PAGE).wait_for()
        expect(listener.page.locator("[data-part=where]")).to_have_text("Clip 1 of 2")

    def change(self, listener: PointerListener, number: int) -> None:
        self._rate(listener, 1, "PRECISION", number)

    def shows(self, page: Page, number: int) -> None:
        expect(captions.row(page, 1, "PRECISION").locator("input:checked")).to_have_value(str(number))

    def read(self, payload: Any) -> Any:
        return payload["captions"]["c1"].get("PRECISION")

    def finish(self, listener: PointerListener) -> None:
        page = listener.page
        self._rate(listener, 1, "RECALL", 3)
        listener.act(captions.caption(page, 1).locator("[data-act=none]"), "o")
        if isinstance(listener, KeyboardListener):
            listener.press("n")
        for scale in ("PRECISION", "RECALL"):
            self._rate(listener, 2, scale, 3)
        listener.act(captions.caption(page, 2).locator("[data-act=none]"), "o")
        listener.act(page.locator("[data-act=next]"), "Enter")
        listener.push("dialog[open] button[value=go]")  # nothing was played

    def revise(self, listener: PointerListener) -> int:
        listener.act(listener.page.locator("[data-act=back]"), "Backspace")
        expect(listener.page.locator("[data-part=where]")).to_have_text("Clip 1 of 2")
        self.change(listener, 1)
        return 1

    def _rate(self, listener: PointerListener, caption: int, scale: str, value: int) -> None:
        choice = captions.row(listener.page, caption, scale).locator(f"label:has(input[value='{value}'])")
        listener.act(choice, scale[0].lower(), f"Digit{value}")


class Words(Workspace):
    name = "speech_summaries-maker"
    short: Hands = TouchListener
    values: tuple[Any, ...] = ([1, 2], [1, 3], [1, 3, 4], [1, 3, 11])
    group = MAKER

    def link(self, platform: Platform) -> str:
        made = summaries_experiment(items=2, makers=1, judges=1, live=False)
        change_session_settings(experiment=made, actor=made.owner, ear_check=False, level_check=False)
        panel = go_live(experiment=made, actor=made.owner).panels.get(group=self.group)
        return panels.link(panels.invite(panel=panel, count=1, now=timezone.now(), actor=None)[0])

    def change(self, listener: PointerListener, number: int) -> None:
        self._alter(listener, number - 1, number)

    def _alter(self, listener: PointerListener, before: int, after: int) -> None:
        """From one of the changes to another."""
        old = self.values[before - 1] if before else []
        if isinstance(listener, KeyboardListener):
            listener.page.locator(".word").first.wait_for()
            listener.tab_to(".word")
        for place in sorted({*old} ^ {*self.values[after - 1]}):
            keys = ("Home", *["ArrowRight"] * (place - 1), "Space")
            listener.act(listener.page.locator(".word").nth(place - 1), *keys)

    def shows(self, page: Page, number: int) -> None:
        expect(page.locator(".word[aria-pressed=true]")).to_have_count(len(self.values[number - 1]))
        for place in self.values[number - 1]:
            expect(page.locator(".word").nth(place - 1)).to_have_attribute("aria-pressed", "true")

    def read(self, payload: Any) -> Any:
        return payload["picked"]

    def finish(self, listener: PointerListener) -> None:
        listener.push("[data-part=finish]")

    def revise(self, listener: PointerListener) -> int:
        """Once it is changed and left as it was all the same, then it is changed."""
        page, where = listener.page, listener.page.locator("[data-part=where]")
        stored = Vote.objects.count()
        for leave in (self._keep, self._next):
            listener.act(page.locator("[data-part=back]"), "Backspace")
            expect(where).to_have_text("Sentence 1 of 2")
            expect(page.locator("[data-part=given]")).to_be_visible()
            self.shows(page, 4)
            self._alter(listener, 4, 3)
            assert Vote.objects.count() == stored
            leave(listener)
            expect(where).to_have_text("Sentence 2 of 2")
        return 3

    def _keep(self, listener: PointerListener) -> None:
        listener.act(listener.page.locator("[data-part=keep]"), "Escape")

    def _next(self, listener: PointerListener) -> None:
        listener.push("[data-part=finish]")


class Versions(Words):
    name = "speech_summaries-judge"
    short: Hands = KeyboardListener
    values = (1, 2, 3, 4)
    group = JUDGE

    def _alter(self, listener: PointerListener, before: int, after: int) -> None:
        self._rate(listener, 1, after)

    def shows(self, page: Page, number: int) -> None:
        expect(page.locator("[data-slot=v1] input:checked")).to_have_value(str(number))

    def read(self, payload: Any) -> Any:
        return payload["marks"].get("v1")

    def finish(self, listener: PointerListener) -> None:
        for version in (2, 3):
            self._rate(listener, version, 5)
        super().finish(listener)

    def _rate(self, listener: PointerListener, version: int, value: int) -> None:
        choice = listener.page.locator(f"[data-slot=v{version}] label:has(input[value='{value}'])")
        choice.wait_for()
        listener.act(choice, "i", "i", "i", *["k"] * (version - 1), f"Digit{value}")


class Plane(Workspace):
    name = "tcsd_plane"
    short = KeyboardListener
    pages = 1
    phone = False
    values = (0.1, 0.2, 0.3, 0.4)

    def link(self, platform: Platform) -> str:
        experiment = make_experiment(protocol="tcsd_plane", items=1, conditions=2, live=False)
        return platform.url(f"/join/{token_without_sound_check(experiment)}/")

    def change(self, listener: PointerListener, number: int) -> None:
        self._place(listener, 1, number)

    def shows(self, page: Page, number: int) -> None:
        row = page.locator(".board__row", has=page.locator(".board__row-number:text-is('1')"))
        expect(row.locator("output").first).to_have_text(re.compile(rf"0\.({number - 1}[5-9]|{number}[0-4])"))

    def read(self, payload: Any) -> Any:
        cross = payload["crosses"].get("s1")
        return cross and round(cross["tc"], 1)

    def set_offline(self, page: Page, offline: bool) -> None:
        super().set_offline(page, offline)
        expect(page.locator("[data-part=offline]")).to_be_visible(visible=offline)  # which moves the plane

    def finish(self, listener: PointerListener) -> None:
        self._place(listener, 2, 9)
        listener.push("[data-part=finish]")
        listener.push("dialog[open] button[value=finish]")

    def _place(self, listener: PointerListener, token: int, tenths: int) -> None:
        page = listener.page
        board = Board(page)
        listener.act(page.locator("[data-step=place]"), "g")
        board.plane.wait_for()
        listener.act(page.locator(f".board__token[data-token=s{token}]"), f"Digit{token}")
        # A choice may be kept, and what then is said about the network makes the plane smaller.
        expect(page.locator("#save-state")).to_have_attribute("data-state", re.compile("saved|kept"))
        keys = ("g", "Home", *["Shift+ArrowRight"] * (2 * tenths), "Enter")
        listener.act(board.plane, *keys, position=board.point(tenths / 10, 0.5))


class Chapters(Workspace):
    name = "chaptering"
    short = PointerListener
    pages = 1
    phone = False
    values = ([10], [11], [12], [13])  # one mark, in seconds

    def link(self, platform: Platform) -> str:
        return test_chapters.invitation(platform)

    def begin(self, listener: PointerListener) -> None:
        listener.page.locator(test_chapters.READY).wait_for()

    def change(self, listener: PointerListener, number: int) -> None:
        """Mark a chapter at 10 s, and move it by a second each time."""
        page = listener.page
        if isinstance(listener, KeyboardListener):
            listener.tab_to(".viewer__stage")
        if number == 1:
            stage = page.locator(".viewer__field")
            width = stage.evaluate("stage => stage.clientWidth")
            listener.act(stage, "l", position={"x": width / 4, "y": 100})
            listener.act(page.locator("[data-act=mark]"), "c")
        else:
            listener.act(page.get_by_label("Chapter 2 begins at"), "Escape", "End", "i")
            listener.act(page.locator("[data-act=later]"), "Shift+ArrowRight")

    def shows(self, page: Page, number: int) -> None:
        expect(page.locator(".viewer__marker")).to_have_count(1)
        expect(page.get_by_label("Chapter 2 begins at")).to_have_value(re.compile(rf"0:{9 + number}\.[01]"))

    def read(self, payload: Any) -> Any:
        return [round(boundary["at_s"]) for boundary in payload["boundaries"]]

    def finish(self, listener: PointerListener) -> None:
        listener.push("[data-part=finish]")
        listener.push("dialog[open] button[value=finish]")


WORKSPACES = [Captions(), Words(), Versions(), Plane(), Chapters()]


@by_all_hands(*WORKSPACES)
def test_work_is_changed_loaded_again_sent_later_and_changed_in_a_second_tab(
    task: Workspace, hands: Hands, platform: Platform, device: Devices
) -> None:
    context = device(**((PHONE if task.phone else TABLET) if hands is TouchListener else {}))
    page = context.new_page()
    listener = hands(page)
    listener.join(task.link(platform))
    listener.start()
    task.begin(listener)
    if hands is TouchListener and task.phone:
        expect(page.locator("#workspace kbd:visible, [data-act=keys]:visible")).to_have_count(0)

    def stands(number: int) -> None:
        """The page says that it is saved, and the server has this change.

        In this order: requests that were intercepted once pass only while Playwright waits.
        """
        state(page, "saved")
        wait_until(lambda: answers() and task.read(answers()[-1]) == task.values[number - 1], answers)

    def answers() -> list[Any]:
        trial = Trial.objects.filter(kind="test", ballot__seat__participant__isnull=False).earliest("position")
        return payloads(trial.position)

    task.change(listener, 1)
    stands(1)
    with intercepted(page, "**/votes/", lambda route: route.abort()):
        task.change(listener, 2)
        expect(page.locator("#save-state")).to_have_text("1 answer waiting to send")
        come_back(listener, "Your work so far is saved.")  # what waits on the device counts
        task.shows(page, 2)
    stands(2)
    expect(page.locator("#notice")).to_be_hidden()  # it was no other tab

    task.set_offline(page, True)
    task.change(listener, 3)
    expect(page.locator("#save-state")).to_have_text("1 answer waiting to send")
    assert task.read(answers()[-1]) == task.values[1]
    task.set_offline(page, False)
    stands(3)

    other = second_tab(listener)
    task.shows(other.page, 3)
    task.change(other, 4)
    expect(page.locator("#notice")).to_contain_text(CHANGED)
    task.shows(page, 4)
    stands(4)
    page.bring_to_front()

    task.set_offline(page, True)
    task.finish(listener)
    state(page, "kept")
    if task.pages > 1:
        expect(page.locator("[data-part=where]")).to_have_text(re.compile("2 of 2"))
    context.set_offline(False)
    if task.pages > 1:
        state(page, "saved")
        expect(other.page.locator("#notice")).to_contain_text(NEXT_ONE)
        expect(other.page.locator("[data-part=where]")).to_have_text(re.compile("2 of 2"))
    else:
        assert listener.code() == other.code()
    assert [answer["finished"] for answer in answers()].count(True) == 1
    assert (task.read(answers()[-1]), answers()[-1]["finished"]) == (task.values[3], True)

    if revised := task.revise(listener):
        stands(revised)


@pytest.mark.usefixtures("platform")  # without it the server is stopped, and the next test starts it again
def test_every_protocol_has_a_journey() -> None:
    tasks: list[Clips | Workspace] = [*CLIPS, *WORKSPACES]
    assert {task.name.partition("-")[0] for task in tasks} == {*protocols()}


@pytest.mark.parametrize("task", [task for task in WORKSPACES if not task.phone], ids=lambda task: task.name)
def test_a_phone_is_told_before_consent_that_it_is_too_narrow_and_takes_no_seat(
    task: Workspace, platform: Platform, device: Devices
) -> None:
    page = device(**PHONE).new_page()
    page.goto(task.link(platform))
    agree = page.get_by_role("button", name="Agree and begin")
    expect(page.get_by_text("This test needs a computer screen.")).to_be_visible()
    expect(page.get_by_text("this test needs a window at least 1024 pixels wide")).to_be_visible()
    expect(agree).to_be_hidden()
    assert scan(page, "landing page") == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert not Seat.objects.filter(state=Seat.State.TAKEN).exists()
    page.set_viewport_size({"width": 1024, "height": 768})
    expect(agree).to_be_visible()
    expect(page.get_by_text("This test needs a computer screen.")).to_be_hidden()
