"""Collections: renamed, deleted with what only they hold, items excluded, clips sorted and compared."""

import re

import pytest
from django.test import Client
from django.utils import timezone

from core.models import AuditEntry
from listening.panels.services.material import material_of
from listening.panels.services.panels import create_panel
from rating.models import Experiment, TextVersion
from rating.services.access import transfer
from rating.services.ballots import entries_of
from stimuli import storage
from stimuli.models import Collection, Import, Item, Recording, Stimulus
from stimuli.services import collection_editing as editing
from stimuli.services import imports
from stimuli.services.collections import add_stimulus
from stimuli.services.copying import copy_collection
from stimuli.services.quality_checks import check_collection, measure_missing
from stimuli.views.clips import outliers
from tests.errors import raises_error
from tests.factories import make_collection, make_experiment, make_panel_experiment, make_user, opened, tone
from tests.people import browser_of
from tests.stimuli.import_material import begin

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    return make_collection(make_user(), items=2, conditions=2)


@pytest.fixture
def browser(collection: Collection) -> Client:
    return browser_of(collection.owner)


def place(collection: Collection, page: str = "") -> str:
    return f"/collections/{collection.slug}/{page}"


def test_a_collection_is_renamed_and_its_address_stays(collection: Collection, browser: Client) -> None:
    answer = browser.post(place(collection, "settings/"), {"rename": "1", "title": "Doors"})
    assert answer.headers["Location"] == place(collection, "settings/")
    assert Collection.objects.get().title == "Doors"
    assert AuditEntry.objects.get(action="collection.renamed").after == {"title": "Doors"}
    page = browser.post(place(collection, "settings/"), {"rename": "1", "title": " "})
    assert "This field is required." in page.content.decode()
    with raises_error("collection.not_yours"):
        editing.rename_collection(collection=collection, title="Mine", actor=make_user())


def test_a_deleted_collection_takes_along_what_only_it_holds(
    collection: Collection, browser: Client, django_capture_on_commit_callbacks: object
) -> None:
    other = make_collection(collection.owner, items=1, conditions=1)
    stimulus = Stimulus.objects.filter(item__collection=collection).first()
    assert stimulus is not None
    assert stimulus.recording is not None
    shared = stimulus.recording
    Stimulus.objects.filter(item__collection=other).update(recording=shared)
    lost = editing.losses_of(collection)
    assert (lost.items, lost.stimuli, lost.recordings) == (2, 4, 3)
    own = [row for row in Recording.objects.filter(stimuli__item__collection=collection) if row != shared]
    page = browser.get(place(collection, "settings/")).content.decode()
    assert "2 items and 4 stimuli will be lost" in page
    wrong = browser.post(place(collection, "settings/"), {"delete": "1", "typed": "yes"}).content.decode()
    assert "to confirm that the collection may be deleted" in wrong
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        assert (
            browser.post(place(collection, "settings/"), {"delete": "1", "typed": collection.slug}).status_code == 302
        )
    assert not Collection.objects.filter(pk=collection.pk).exists()
    assert not Recording.objects.filter(pk__in=[row.pk for row in own]).exists()
    assert [storage.exists(str(row.file.name)) for row in own] == [False] * len(own)
    assert storage.exists(str(shared.file.name))
    entry = AuditEntry.objects.get(action="collection.deleted")
    assert (entry.before or {})["stimuli"] == 4


def test_a_copy_has_the_same_sounds_and_outlives_its_source(
    django_capture_on_commit_callbacks: object,
) -> None:
    source = make_experiment().collection  # live: what may not be changed is copied
    reader = make_user()
    page = browser_of(reader)
    source.readers.add(reader)
    Item.objects.filter(collection=source).update(factors={"snr": "5"})
    answer = page.post(place(source, "copy/"), {"title": "Mine", "slug": ""})
    made = Collection.objects.get(slug="mine")
    assert (answer.headers["Location"], made.owner) == ("/collections/mine/", reader)
    names = ("item__name", "item__factors", "condition__name", "condition__role", "recording", "served")
    rows = [Stimulus.objects.filter(item__collection=one).values_list(*names) for one in (source, made)]
    assert list(rows[0]) == list(rows[1])
    assert "stored once" in page.get(place(made)).content.decode()
    taken = page.post(place(source, "copy/"), {"title": "Mine", "slug": "mine"}).content.decode()
    assert "Another collection has the short name" in taken
    by_api = page.post(f"/api/v1/collections/{source.slug}/copy/", {"title": "Third"}, content_type="application/json")
    assert (by_api.status_code, by_api.json()["slug"]) == (201, "third")
    TextVersion.objects.all().delete()
    source.experiments.all().delete()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        editing.delete_collection(collection=source, typed=source.slug, actor=source.owner)
    assert all(storage.exists(name) for name in Stimulus.objects.values_list("served", flat=True))


def test_a_copy_of_foreign_sounds_counts_against_the_quota(collection: Collection) -> None:
    reader = make_user()
    reader.quota_gb = 1e-9
    reader.save()
    with raises_error("upload.quota"):
        copy_collection(source=collection, title="Mine", actor=reader)
    assert Collection.objects.count() == 1


def test_a_collection_is_handed_over_on_its_own_or_with_its_experiment(collection: Collection, browser: Client) -> None:
    old, new = collection.owner, make_user(name="erin")
    wrong = browser.post(place(collection, "settings/"), {"hand_over": "1", "colleague": "erni"}).content.decode()
    assert "no account called" in wrong
    assert 'value="erni"' in wrong
    begun = begin(collection)
    Import.objects.update(state=Import.State.PROPOSED)
    browser.post(place(collection, "settings/"), {"hand_over": "1", "colleague": "erin"})
    collection.refresh_from_db()
    assert (collection.owner, list(collection.readers.all())) == (new, [old])
    assert browser.get(place(collection)).status_code == 200
    with raises_error("collection.not_yours"):
        imports.confirm_import(import_=begun, actor=old)
    experiment = make_experiment(old, live=False)
    transfer(experiment=experiment, actor=old, colleague_name="erin", with_collection=True)
    assert Collection.objects.get(pk=experiment.collection_id).owner == new
    others = make_experiment(old, live=False, collection=collection)
    assert 'name="with_collection"' not in browser.get(f"/experiments/{others.slug}/settings/").content.decode()


def test_roles_of_conditions_change_until_seats_are_laid_out_with_them() -> None:
    experiment = make_experiment(live=False)
    collection, page = experiment.collection, browser_of(experiment.owner)
    first, second = collection.conditions.all()
    sent = {"roles": "1", str(first.pk): "reference", str(second.pk): "test"}
    assert page.post(place(collection, "settings/"), sent).status_code == 302
    assert list(collection.conditions.values_list("role", flat=True)) == ["reference", "test"]
    entry = AuditEntry.objects.get(action="collection.roles_changed")
    assert (entry.before, entry.after) == ({first.name: "test"}, {first.name: "reference"})
    page.post(place(collection, "settings/"), sent | {str(first.pk): "full-length"})
    assert set(Stimulus.objects.filter(condition=first).values_list("starts_at_s", flat=True)) == {0.0}
    page.post(place(collection, "settings/"), sent)
    create_panel(experiment=experiment, seats=1, actor=experiment.owner)
    with raises_error("collection.roles_laid_out", match=experiment.title):
        editing.change_roles(collection=collection, roles={first.pk: "test"}, actor=experiment.owner)
    shown = page.get(place(collection, "settings/")).content.decode()
    assert 'name="roles"' not in shown
    assert "Remove its seats" in shown
    opened(experiment)
    with raises_error("collection.frozen"):
        editing.change_roles(collection=collection, roles={first.pk: "test"}, actor=experiment.owner)


def test_collections_are_searched_by_title_short_name_and_owner(collection: Collection, browser: Client) -> None:
    other = make_collection(collection.owner)
    editing.rename_collection(collection=other, title="Doors and bells", actor=other.owner)
    page = browser.get("/collections/?q=bells+doors").content.decode()
    assert place(other) in page
    assert place(collection) not in page
    assert "No collection has these words." in browser.get("/collections/?q=nothing").content.decode()


def test_a_collection_that_an_experiment_uses_is_not_deleted() -> None:
    experiment = make_experiment(live=False)
    collection = experiment.collection
    with raises_error("collection.in_use", match=experiment.title):
        editing.delete_collection(collection=collection, typed=collection.slug, actor=collection.owner)
    page = browser_of(collection.owner).get(place(collection, "settings/")).content.decode()
    assert "cannot be deleted" in page
    assert 'name="delete"' not in page


def test_an_excluded_item_is_left_out_of_new_designs_and_seats_until_it_is_included() -> None:
    experiment = make_panel_experiment(items=4)
    collection = experiment.collection
    browser = browser_of(collection.owner)
    item = Item.objects.get(collection=collection, name=material_of(experiment).samples[0].name)
    answer = browser.post(place(collection, f"items/{item.pk}/"), {"change": "exclude", "reason": "Too noisy"})
    assert answer.headers["Location"] == f"{place(collection)}#item-{item.pk}"
    assert item.name not in [sample.name for sample in material_of(experiment).samples]
    assert item.name not in {entry.item for entry in entries_of(experiment)}
    assert AuditEntry.objects.get(action="item.excluded").reason == "Too noisy"
    assert "Too noisy" in browser.get(place(collection)).content.decode()
    browser.post(place(collection, f"items/{item.pk}/"), {"change": "include"})
    assert item.name in [sample.name for sample in material_of(experiment).samples]


def test_excluding_the_incomplete_item_lets_the_rest_be_designed() -> None:
    experiment = make_panel_experiment(items=4, left_out=("s00", "C1"))
    with raises_error("design.cells_missing") as missing:
        material_of(experiment)
    name = missing.value.data["missing"][0].partition(" x ")[0]
    assert check_collection(collection=experiment.collection)["errors"] == 1
    item = Item.objects.get(collection=experiment.collection, name=name)
    editing.exclude_item(item=item, actor=experiment.owner, now=timezone.now())
    assert len(material_of(experiment).samples) == 3
    assert check_collection(collection=experiment.collection)["errors"] == 0


@pytest.mark.parametrize("state", ["live", "paused"])
def test_items_of_an_experiment_that_collects_answers_stay(state: str) -> None:
    experiment = make_experiment(seats=1)
    Experiment.objects.update(state=state)
    item = experiment.collection.items.first()
    assert item is not None
    with raises_error("collection.item_in_use"):
        editing.exclude_item(item=item, actor=experiment.owner, now=timezone.now())
    Experiment.objects.update(state="closed")
    editing.exclude_item(item=item, actor=experiment.owner, now=timezone.now())


def test_clips_are_sorted_by_a_figure_both_ways_and_outliers_are_marked(
    browser: Client, collection: Collection
) -> None:
    add_stimulus(collection=collection, item="long", condition="c0", content=tone(440, duration_s=2.0))
    for number in range(4):
        sound = tone(440 + number, duration_s=0.05 + 0.01 * number)
        add_stimulus(collection=collection, item=f"short{number}", condition="c0", content=sound)
    measure_missing(collection=collection)

    def items(sort: str) -> list[str]:
        page = browser.get(place(collection, f"clips/?sort={sort}")).content.decode()
        return re.findall(r'<th scope="row">(.*?)</th>', page)

    assert items("-duration")[0] == items("duration")[-1] == "long"
    page = browser.get(place(collection, "clips/?sort=-duration")).content.decode()
    (long,) = re.findall(r"<tr>.*?>long</th>.*?</tr>", page, re.DOTALL)
    assert ">outlier</span>" in long.rpartition("<tr>")[2]
    assert 'aria-sort="descending"' in page
    assert items("nonsense") == items("loudness")


def test_clips_are_sorted_by_numeric_factors_and_by_the_estimated_ratio(
    browser: Client, collection: Collection
) -> None:
    first, second = collection.items.all()
    Item.objects.filter(pk=first.pk).update(factors={"mixed at": "-2.5", "room": "kitchen"})
    Item.objects.filter(pk=second.pk).update(factors={"mixed at": "-10", "room": "5"})
    Recording.objects.filter(stimuli__item=first).update(measures={"snr_estimate_db": 3.0})
    Recording.objects.filter(stimuli__item=second).update(measures={"snr_estimate_db": 12.0})

    def page(sort: str) -> str:
        return browser.get(place(collection, f"clips/?sort={sort}")).content.decode()

    def first_item(sort: str) -> str:
        return str(re.findall(r'<th scope="row">(.*?)</th>', page(sort))[0])

    assert (first_item("factor-mixed+at"), first_item("-factor-mixed+at")) == (second.name, first.name)
    assert (first_item("snr"), first_item("-snr")) == (first.name, second.name)
    assert "?sort=-factor-mixed+at" in page("factor-mixed+at")
    assert "factor-room" not in page("snr"), "not a number everywhere"


def test_outliers_are_far_from_the_median_and_missing_values_are_none() -> None:
    assert outliers([1.0, 1.1, 0.9, 1.0, 1.05, 9.0, None]) == [False] * 5 + [True, False]
    assert outliers([1.0, 1.0, 1.0, 9.0]) == [False] * 4, "half of them equal: no spread to measure by"
    assert outliers([None]) == [False]


def test_two_clips_are_compared_and_anything_else_leads_back_with_a_sentence(
    browser: Client, collection: Collection
) -> None:
    one, two, three = Stimulus.objects.filter(item__collection=collection)[:3]
    page = browser.get(place(collection, f"compare/?clip={one.pk}&clip={two.pk}")).content.decode()
    for stimulus in (one, two):
        assert f"/collections/{collection.slug}/{stimulus.pk}/sound/clip/" in page
    for query in ("", f"clip={one.pk}&clip={one.pk}", f"clip={one.pk}&clip={two.pk}&clip={three.pk}", "clip=x&clip=y"):
        answer = browser.get(place(collection, f"compare/?{query}"), follow=True)
        assert "Select two clips" in answer.content.decode()


def test_the_collection_leads_to_a_new_experiment_with_itself_chosen(browser: Client, collection: Collection) -> None:
    link = f"/new-experiment/?collection={collection.slug}"
    assert link in browser.get(place(collection)).content.decode()
    assert f'<option value="{collection.slug}" selected>' in browser.get(link).content.decode()
