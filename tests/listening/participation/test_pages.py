"""Pages of a visit, sent at once: texts of a page come when it is opened, unless the experiment shows all of them."""

from typing import Any

import pytest

from tests.factories import Sitting, event, make_experiment, sit_down

pytestmark = pytest.mark.django_db


def read_early(sitting: Sitting, opened: str = "") -> list[str]:
    """The trials whose texts are in the list of all pages."""
    answer = sitting.client.get(f"{sitting.api}pages/", {"open": opened} if opened else {})
    return [page["trial"] for page in answer.json()["trials"] if page["texts"]]


def sit(**options: Any) -> Sitting:
    return sit_down(make_experiment(seats=1, items=3, protocol="thumbs", options=options))


def test_captions_of_clips_that_were_not_begun_are_not_in_the_list_of_all_clips() -> None:
    sitting = sit()
    first, second, _ = (page["trial"] for page in sitting.upcoming()["trials"])
    assert read_early(sitting) == []
    assert read_early(sitting, opened=second) == [second]
    sitting.vote(event(first, payload={"captions": {}}))
    assert read_early(sitting) == [first]


def test_a_grid_of_all_clips_has_all_captions() -> None:
    assert len(read_early(sit(grid=True))) == 3
