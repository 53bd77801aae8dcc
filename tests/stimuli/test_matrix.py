"""Page of a collection: small waveforms, colours of loudness, the order of items, and two cells to compare."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from stimuli.models import Collection, Recording, Stimulus
from stimuli.services import collection_editing as editing
from stimuli.services.quality_checks import measure_missing
from stimuli.views import matrix
from tests.factories import make_collection, make_user
from tests.people import browser_of

pytestmark = pytest.mark.django_db

# Items down, conditions across; the median is -23.
LEVELS = [[-23.0, -23.4, -22.0], [-23.0, -16.0, -26.2], [-23.0, -23.0, -33.0]]
CELL = re.compile(r'<td id="cell-[^"]*"(?: data-loudness="([^"]*)")?>.*?</td>', re.DOTALL)


@pytest.fixture
def collection() -> Collection:
    made = make_collection(make_user(), items=3, conditions=3)
    measure_missing(collection=made)
    cells = Stimulus.objects.filter(item__collection=made).select_related("recording")
    for cell, lufs in zip(cells, [level for row in LEVELS for level in row], strict=True):
        assert cell.recording is not None
        cell.recording.measures["integrated_lufs"] = lufs
        cell.recording.save()
    return made


@pytest.fixture
def browser(collection: Collection) -> Client:
    return browser_of(collection.owner)


def page(browser: Client, collection: Collection, query: str = "") -> str:
    return browser.get(f"/collections/{collection.slug}/{query}").content.decode()


def items_in(shown: str) -> list[str]:
    return re.findall(r'<tr id="item-[^"]*"><th scope="row">(\S+)', shown)


def test_every_sound_that_was_measured_has_its_outline_in_the_page(browser: Client, collection: Collection) -> None:
    outlines = re.findall(r'data-outline="([A-Za-z0-9_-]{64})"', page(browser, collection))
    stored = Stimulus.objects.filter(item__collection=collection).values_list("recording__outline", flat=True)
    assert outlines == list(stored)
    Recording.objects.update(outline="")
    assert "data-outline" not in page(browser, collection)


def test_cells_are_coloured_by_their_distance_from_the_median_and_say_it(
    browser: Client, collection: Collection
) -> None:
    shown = page(browser, collection, "?show=loudness")
    assert "Distance from the median of all clips, -23.0 LUFS" in shown
    steps = [found.group(1) for found in CELL.finditer(shown)]
    assert steps == ["near", "near", "louder-1", "near", "louder-3", "quieter-2", "near", "near", "quieter-3"]
    texts = re.findall(r'<b class="matrix__distance">(.*?)</b>', shown)
    assert " ".join(texts).replace(" LU", "") == "±0.0 −0.4 +1.0 ±0.0 +7.0 −3.2 ±0.0 ±0.0 −10.0"
    assert "data-loudness" not in "".join(found.group() for found in CELL.finditer(page(browser, collection)))


def test_items_with_the_farthest_clips_come_first_when_asked_for(browser: Client, collection: Collection) -> None:
    first, second, third = items_in(page(browser, collection))
    assert items_in(page(browser, collection, "?order=distance")) == [third, second, first]
    assert items_in(page(browser, collection, "?order=nonsense&show=nonsense")) == [first, second, third]


def test_an_excluded_item_does_not_move_the_median_and_a_target_takes_its_place(collection: Collection) -> None:
    first, *others = collection.items.order_by("name")
    Recording.objects.filter(stimuli__item__in=others).update(measures={"integrated_lufs": -40.0})
    assert _reference(collection) == -40.0
    for item in others:
        editing.exclude_item(item=item, actor=collection.owner, now=timezone.now())
    assert _reference(collection) == -23.0
    compared = matrix.loudness_in(collection, -26.0)
    assert compared is not None
    assert compared.is_target
    assert (compared.by_item[first.pk], compared.by_item[others[0].pk]) == (4.0, 14.0)


def _reference(collection: Collection) -> float:
    compared = matrix.loudness_in(collection)
    assert compared is not None
    return compared.reference_lufs


def test_what_was_not_measured_is_not_coloured(browser: Client, collection: Collection) -> None:
    Recording.objects.update(measures={})
    shown = page(browser, collection, "?show=loudness&order=distance")
    assert "No clip of this collection has been measured yet." in shown
    assert len(items_in(shown)) == 3


def test_more_cells_take_no_more_queries_and_many_conditions_fewer_items_a_page(
    browser: Client,
    collection: Collection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query = "?show=loudness&order=distance"
    large = make_collection(collection.owner, items=12, conditions=4)
    measure_missing(collection=large)
    page(browser, large, query)
    counts = []
    for one in (collection, large):
        with CaptureQueriesContext(connection) as queries:
            page(browser, one, query)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15
    monkeypatch.setattr(matrix, "CELLS_A_PAGE", 40)
    shown = page(browser, large, query)
    assert len(items_in(shown)) == 10
    assert 'href="?show=loudness&amp;order=distance&amp;page=2"' in shown


def test_two_cells_can_be_selected_to_compare(browser: Client, collection: Collection) -> None:
    shown = page(browser, collection)
    boxes = re.findall(r'<input type="checkbox" form="compare" name="clip" value="(.*?)"', shown)
    assert len(boxes) == 9
    assert f'<form id="compare" method="get" action="/collections/{collection.slug}/compare/"' in shown
    compared = browser.get(f"/collections/{collection.slug}/compare/?clip={boxes[0]}&clip={boxes[5]}")
    assert compared.content.decode().count('class="compare__clip"') == 2


def test_the_list_of_collections_leads_to_a_new_experiment_of_each_that_has_items(
    browser: Client, collection: Collection
) -> None:
    Collection.objects.create(slug="empty", title="Empty", owner=collection.owner)
    shown = browser.get("/collections/").content.decode()
    assert re.findall(r"/new-experiment/\?collection=([\w-]+)", shown) == [collection.slug]
