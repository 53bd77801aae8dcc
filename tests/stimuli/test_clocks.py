"""The clock of a recording: detected, started at a time of day, corrected by hand, and told to every viewer."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from audio.clock import Stretch
from core.models import AuditEntry, User
from stimuli.models import Collection, Recording, Stimulus
from stimuli.services import clocks
from stimuli.services.clocks import ClockUnfit
from stimuli.services.delivery import manifest
from stimuli.services.sources import source_for_participant, source_for_staff
from tests.errors import raises_error
from tests.factories import make_user
from tests.people import browser_of
from tests.stimuli.recordings import cell_of, fresh_storage

pytestmark = pytest.mark.django_db

RATE = 1000
HOUR, GAP = 3600 * RATE, 5 * RATE
THREE_HOURS = [Stretch(hour * (HOUR + GAP), hour * (HOUR + GAP) + HOUR, hour * 3600.0) for hour in range(3)]
LENGTH = THREE_HOURS[-1].stop


@pytest.fixture(autouse=True)
def _own_storage(settings: Settings, tmp_path: Path) -> None:
    fresh_storage(settings, tmp_path)


def recording(**changes: Any) -> Recording:
    """Three hours with separators, as ingest leaves them; nobody listens here."""
    facts: dict[str, Any] = {
        "sha256": "a" * 64,
        "file": "recordings/a.mp3",
        "byte_count": 1,
        "format": "mp3",
        "sample_rate_hz": RATE,
        "channels": 1,
        "length_samples": LENGTH,
        "clock": [stretch.to_json() for stretch in THREE_HOURS],
    }
    return Recording.objects.create(**facts | changes)


@pytest.fixture
def stimulus() -> Stimulus:
    return cell_of(recording())


def owner_of(stimulus: Stimulus) -> User:
    return stimulus.item.collection.owner


def hours(stimulus: Stimulus) -> list[float]:
    return [stretch.clock_s / 3600 for stretch in clocks.clock_of(Stimulus.objects.get(pk=stimulus.pk))]


# --- What time it was -------------------------------------------------------------------------------------------------


def test_what_was_detected_moves_with_the_start_of_the_day(stimulus: Stimulus) -> None:
    assert hours(stimulus) == [0, 1, 2]
    clocks.set_start(stimulus=stimulus, starts_at_s=6.5 * 3600, actor=owner_of(stimulus))
    assert hours(stimulus) == [6.5, 7.5, 8.5]


def test_a_correction_belongs_to_one_collection_and_not_to_the_recording(stimulus: Stimulus) -> None:
    assert stimulus.recording is not None
    neighbour = cell_of(
        stimulus.recording, collection=Collection.objects.create(slug="n", title="N", owner=make_user())
    )
    clocks.use_one_stretch(stimulus=stimulus, actor=owner_of(stimulus))
    assert (hours(stimulus), hours(neighbour)) == ([0], [0, 1, 2])


def test_without_separators_the_clock_runs_through_once_a_person_says_when_it_began() -> None:
    stimulus = cell_of(recording(clock=[]))
    assert (clocks.origin_of(stimulus), clocks.clock_of(stimulus)) == ("none", ())
    stimulus = clocks.set_start(stimulus=stimulus, starts_at_s=3600, actor=owner_of(stimulus))
    assert (clocks.origin_of(stimulus), clocks.clock_of(stimulus)) == ("unbroken", (Stretch(0, LENGTH, 3600.0),))


def test_nothing_is_claimed_while_separators_may_still_be_found() -> None:
    stimulus = cell_of(recording(clock=[], state="ingesting"))
    stimulus = clocks.set_start(stimulus=stimulus, starts_at_s=0, actor=owner_of(stimulus))
    assert (clocks.origin_of(stimulus), clocks.clock_of(stimulus)) == ("awaited", ())


def test_every_browser_is_told_the_corrected_clock_and_its_silences(stimulus: Stimulus) -> None:
    mended = [Stretch(100, HOUR, 7200.0), Stretch(HOUR + GAP, LENGTH, 10_800.0)]
    stimulus = clocks.correct_clock(stimulus=stimulus, stretches=mended, actor=owner_of(stimulus))
    for source in (source_for_staff(stimulus), source_for_participant(stimulus)):
        told = manifest(source=source)
        assert told["clock"] == [stretch.to_json() for stretch in mended]
        assert told["silences"] == [(0, 100), (HOUR, HOUR + GAP)]


# --- Changes ----------------------------------------------------------------------------------------------------------


def test_a_correction_can_be_taken_back_because_what_was_detected_is_kept(stimulus: Stimulus) -> None:
    detected = clocks.clock_of(stimulus)
    clocks.correct_clock(stimulus=stimulus, stretches=[Stretch(0, 10, 0.0)], actor=owner_of(stimulus))
    assert len(hours(stimulus)) == 1
    stimulus = clocks.use_detected(stimulus=stimulus, actor=owner_of(stimulus))
    assert clocks.clock_of(stimulus) == detected


def test_lines_may_come_in_any_order_and_the_first_says_when_it_began(stimulus: Stimulus) -> None:
    mended = [Stretch(HOUR, 2 * HOUR, 26 * 3600.0), Stretch(0, HOUR, 22.5 * 3600)]
    stimulus = clocks.correct_clock(stimulus=stimulus, stretches=mended, actor=owner_of(stimulus))
    assert stimulus.starts_at_s == 22.5 * 3600
    assert hours(stimulus) == [22.5, 26]
    clocks.set_start(stimulus=stimulus, starts_at_s=0, actor=owner_of(stimulus))
    assert hours(stimulus) == [0, 3.5]


@pytest.mark.parametrize(
    ("stretches", "says"),
    [
        ([], "give between 1 and 500 stretches"),
        ([Stretch(0, LENGTH + 1, 0)], "must begin before it ends, and end by 03:00:10"),
        ([Stretch(500, 500, 0)], "the stretch from 00:00:00.5 to 00:00:00.5 must begin"),
        ([Stretch(0, HOUR, 0), Stretch(HOUR - 1, LENGTH, 9000)], "begins before the one at 00:00:00 ends"),
        ([Stretch(0, HOUR, 0), Stretch(HOUR, LENGTH, 1800)], "begins at 00:30:00 by the clock"),
        ([Stretch(0, HOUR, 86_400)], "between 00:00 and 23:59:59"),
    ],
)
def test_a_clock_that_cannot_be_is_rejected_and_nothing_changes(
    stimulus: Stimulus, stretches: list[Stretch], says: str
) -> None:
    with pytest.raises(ClockUnfit, match=says):
        clocks.correct_clock(stimulus=stimulus, stretches=stretches, actor=owner_of(stimulus))
    stimulus.refresh_from_db()
    assert stimulus.clock is None


def test_a_recorder_may_be_some_milliseconds_off(stimulus: Stimulus) -> None:
    late = [Stretch(0, HOUR + 20, 0.0), Stretch(HOUR + GAP, LENGTH, 3600.0)]
    assert clocks.correct_clock(stimulus=stimulus, stretches=late, actor=owner_of(stimulus)).clock


def test_every_change_is_in_the_audit_log_with_before_and_after(stimulus: Stimulus) -> None:
    clocks.set_start(stimulus=stimulus, starts_at_s=60, actor=owner_of(stimulus))
    clocks.use_one_stretch(stimulus=stimulus, actor=owner_of(stimulus))
    first, second = AuditEntry.objects.filter(action="stimulus.clock_changed").order_by("id")
    assert (first.before, first.after) == ({"starts_at_s": None}, {"starts_at_s": 60})
    assert (second.before, second.after) == ({"clock": None}, {"clock": [Stretch(0, LENGTH, 0.0).to_json()]})
    assert second.actor == owner_of(stimulus)


def test_a_colleague_who_may_read_may_not_correct(stimulus: Stimulus) -> None:
    with raises_error("clock.not_yours", match=owner_of(stimulus).get_username()):
        clocks.use_one_stretch(stimulus=stimulus, actor=make_user())
    clocks.use_one_stretch(stimulus=stimulus, actor=make_user(User.Role.ADMIN))


def test_a_text_has_no_clock(stimulus: Stimulus) -> None:
    text = Stimulus.objects.create(
        item=stimulus.item, condition=stimulus.item.collection.conditions.create(name="words"), text={"text": "x"}
    )
    assert clocks.clock_of(text) == ()
    with raises_error("sound.none"):
        clocks.use_one_stretch(stimulus=text, actor=owner_of(stimulus))


# --- The page ---------------------------------------------------------------------------------------------------------


def address(stimulus: Stimulus, below: str = "clock/") -> str:
    return f"/collections/{stimulus.item.collection.slug}/{stimulus.pk}/sound/{below}"


@pytest.fixture
def browser(stimulus: Stimulus) -> Client:
    return browser_of(owner_of(stimulus))


def lines(*rows: tuple[str, str, str], removed: int | None = None) -> dict[str, str]:
    sent = {"change": "stretches", "form-TOTAL_FORMS": str(len(rows)), "form-INITIAL_FORMS": "0"}
    for number, row in enumerate(rows):
        sent |= {f"form-{number}-{name}": text for name, text in zip(("start", "stop", "clock"), row, strict=True)}
    return sent | ({f"form-{removed}-DELETE": "on"} if removed is not None else {})


def test_the_sounds_page_shows_the_clock_and_leads_to_its_correction(stimulus: Stimulus, browser: Client) -> None:
    page = browser.get(address(stimulus, "")).content.decode()
    for text in ("Detected: silences recur every hour.", "3 stretches", "01:00:05", address(stimulus)):
        assert text in page


def test_the_page_sent_back_as_it_is_changes_not_one_sample(stimulus: Stimulus, browser: Client) -> None:
    odd = [Stretch(start=one.start + 1, stop=one.stop - 3, clock_s=one.clock_s) for one in THREE_HOURS]
    Recording.objects.update(clock=[one.to_json() for one in odd], sample_rate_hz=44_100)
    rows = browser.get(address(stimulus)).context["stretches"]
    shown = [tuple(form[name].value() for name in ("start", "stop", "clock")) for form in rows]
    assert shown[3:] == [(None, None, None)] * 2, "two empty lines for more"
    assert browser.post(address(stimulus), lines(*shown[:3])).status_code == 302
    stimulus.refresh_from_db()
    assert stimulus.clock == [one.to_json() for one in odd]


def test_lines_are_added_and_removed_and_empty_ones_do_not_count(stimulus: Stimulus, browser: Client) -> None:
    first, second, empty = ("00:00", "01:00", "06:30"), ("01:00:05", "02:00:05", "07:30"), ("", "", "")
    answer = browser.post(address(stimulus), lines(first, second, empty), follow=True)
    assert "The clock is saved." in answer.content.decode()
    assert hours(stimulus) == [6.5, 7.5]
    browser.post(address(stimulus), lines(first, second, removed=0))
    assert hours(stimulus) == [7.5]


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (lines(("0:00", "99:00", "0:00")), "The clock was not changed: the stretch from 00:00:00 to 99:00:00 must"),
        (lines(("0:00", "noon", "0:00")), "Write a time as 06:30 or 06:30:00."),
        (lines(("0:00", "", "0:00")), "This field is required."),
        ({"change": "start", "starts_at": "24:00"}, "between 00:00 and 23:59:59"),
        ({"change": "start", "starts_at": "dawn"}, "Write a time as 06:30 or 06:30:00."),
    ],
)
def test_what_is_wrong_is_said_beside_what_was_filled_in(
    stimulus: Stimulus, browser: Client, sent: dict[str, str], says: str
) -> None:
    answer = browser.post(address(stimulus), sent)
    assert (answer.status_code, says in answer.content.decode()) == (200, True)
    stimulus.refresh_from_db()
    assert (stimulus.clock, stimulus.starts_at_s) == (None, None)


def test_the_start_one_stretch_and_the_way_back_are_one_button_each(stimulus: Stimulus, browser: Client) -> None:
    browser.post(address(stimulus), {"change": "start", "starts_at": "18:00"})
    browser.post(address(stimulus), {"change": "one-stretch"})
    assert hours(stimulus) == [18]
    assert "As detected (3 stretches)" in browser.get(address(stimulus)).content.decode()
    browser.post(address(stimulus), {"change": "detected"})
    assert hours(stimulus) == [18, 19, 20]


def test_a_reader_sees_the_clock_without_a_form_and_is_rejected(stimulus: Stimulus) -> None:
    reader = make_user()
    stimulus.item.collection.readers.add(reader)
    browser = browser_of(reader)
    page = browser.get(address(stimulus))
    assert (page.status_code, b"<form method" in page.content.split(b"<h1")[1]) == (200, False)
    assert browser.post(address(stimulus), {"change": "one-stretch"}).status_code == 403
