"""The pages on which a collection is made and filled: what each state of an import shows, and to whom."""

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils.html import escape
from django.utils.translation import gettext, override

from audio.loudness import PRESETS
from core.i18n import LazyMessage
from core.models import Job, User
from stimuli.errors import TableUnreadable
from stimuli.imports.plans import Cell, Ignored, Plan
from stimuli.imports.reports import Report
from stimuli.models import Collection, Import
from stimuli.services.normalisation import FIGURES, MOST_ROWS, level
from stimuli.views.imports import MOST_FINDINGS, MOST_STIMULI, clock, found, proposed
from tests.factories import make_collection, make_user
from tests.people import browser_of
from tests.stimuli.import_material import arrived, begin, new_collection, submit

pytestmark = pytest.mark.django_db

PLAN: dict[str, Any] = {
    "layout": "conditions",
    "items": [{"name": "door", "factors": {"location": "K"}}],
    "conditions": [{"name": "C0", "role": "test"}, {"name": "ref", "role": "reference"}],
    "stimuli": [
        {"item": "door", "condition": "C0", "path": "C0/door.wav"},
        {"item": "door", "condition": "ref", "path": "all.wav", "start": 48_000, "stop": 96_000},
    ],
    "ignored": [{"path": "notes.txt", "reason": "no sound"}],
}
REPORT = {
    "counts": {"files": 1200, "texts": 0, "duration_s": 3725},
    "errors": 1,
    "findings": [
        {"severity": "note", "sentence": "All is well.", "path": ""},
        {
            "severity": "error",
            "sentence": "ignored",
            "msgid": "'{name}' is <broken>.",
            "data": {"name": "a.wav"},
            "path": "C0/a.wav",
        },
    ],
}


@pytest.fixture
def owner() -> User:
    return make_user()


@pytest.fixture
def browser(owner: User) -> Client:
    return browser_of(owner)


def page_of(browser: Client, import_: Import) -> str:
    answer = browser.get(f"/collections/{import_.collection.slug}/imports/{import_.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


def in_state(owner: User, state: str, **fields: Any) -> Import:
    import_ = begin(new_collection(owner))
    Import.objects.update(state=state, **fields)
    import_.refresh_from_db()
    return import_


def test_a_collection_is_made_and_leads_to_its_first_import(browser: Client, owner: User) -> None:
    answer = browser.post("/new-collection/", {"title": "Doors", "slug": "doors"})
    assert answer.headers["Location"] == "/collections/doors/import/"
    assert Collection.objects.get().owner == owner
    again = browser.post("/new-collection/", {"title": "Doors", "slug": "doors"})
    assert "Another collection has the short name" in again.content.decode()
    assert browser.post("/new-collection/", {"title": "", "slug": "no slug"}).status_code == 200
    assert Collection.objects.count() == 1


def config_in(page: str) -> dict[str, Any]:
    """What the page hands to its script."""
    embedded = re.search(r'id="config"[^>]*>(.*?)</script>', page)
    assert embedded is not None
    config: dict[str, Any] = json.loads(embedded[1])
    return config


def test_the_upload_page_gives_urls_to_the_script_and_lists_unfinished_imports(browser: Client, owner: User) -> None:
    import_ = begin(new_collection(owner))
    slug = import_.collection.slug
    page = browser.get(f"/collections/{slug}/import/").content.decode()
    assert config_in(page)["imports_url"] == f"/api/v1/collections/{slug}/imports/"
    assert config_in(page)["import_id"] == ""
    assert f"/collections/{slug}/imports/{import_.pk}/" in page
    assert config_in(page_of(browser, import_))["import_id"] == str(import_.pk)


def test_only_the_owner_may_open_the_upload_page(owner: User) -> None:
    import_ = begin(new_collection(owner))
    colleague = make_user()
    import_.collection.readers.add(colleague)
    place = f"/collections/{import_.collection.slug}"
    assert browser_of(colleague).get(f"{place}/import/").status_code == 403
    assert browser_of(colleague).get(f"{place}/imports/{import_.pk}/").status_code == 404
    assert browser_of(make_user()).get(f"{place}/import/").status_code == 404
    assert browser_of(owner).get(f"{place}/imports/{uuid4()}/").status_code == 404


def test_while_files_are_looked_at_the_page_follows_the_job(browser: Client, owner: User) -> None:
    import_ = submit(arrived(new_collection(owner)))
    page = page_of(browser, import_)
    assert f'data-job="{Job.objects.get().pk}" data-job-reload' in page
    assert "stimuli.check_import" not in page, "people read what it does"
    assert "dist/jobs.js" in page


def test_a_proposal_shows_what_was_found_and_what_would_be_imported(browser: Client, owner: User) -> None:
    page = page_of(browser, in_state(owner, "proposed", plan=PLAN, report=REPORT))
    for said in (
        "&#x27;a.wav&#x27; is &lt;broken&gt;.",
        "1:02:05",
        "1,200",
        "samples 48,000 to 96,000",
        "ref (reference)",
    ):
        assert said in page
    assert "notes.txt" in page
    assert page.index("broken") < page.index("All is well"), "the gravest comes first"
    assert 'name="replace"' not in page


def test_into_a_collection_that_holds_stimuli_one_may_ask_for_replacing(browser: Client, owner: User) -> None:
    collection = make_collection(owner, items=1, conditions=1)
    import_ = begin(collection)
    Import.objects.update(state="proposed", plan=PLAN, report=REPORT)
    assert 'name="replace"' in page_of(browser, import_)
    browser.post(f"/collections/{collection.slug}/imports/{import_.pk}/confirm/", {"replace": "on"})
    assert Job.objects.get().arguments == {"import_id": str(import_.pk), "replace": True}


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("done", "the collection is at version 3"),
        ("cancelled", "was cancelled or has expired"),
    ],
)
def test_an_import_that_is_over_says_what_became_of_it(browser: Client, owner: User, state: str, said: str) -> None:
    version = 3 if state == "done" else None
    page = page_of(browser, in_state(owner, state, report=REPORT, version=version))
    assert said in page
    assert "<form" not in page.partition("<main")[2], "nothing is left to press"


def errors() -> dict[str, Any]:
    """A report with two broken files, and a warning about a third one."""
    report = Report(probed=3, reused=59)
    for path in ("C0/a.wav", "C1/a.wav"):
        report.error("'{path}' is broken.", path, path=path)
    report.warn("It is clipped.", "b x C0")
    report.name_files({"C0/a.wav": "C0/a.wav", "C1/a.wav": "C1/a.wav", "b x C0": "C0/b.wav"})
    return report.to_json()


def test_beside_each_file_with_an_error_stands_what_can_be_done_and_warnings_are_there_too(
    browser: Client, owner: User
) -> None:
    page = page_of(browser, in_state(owner, "errors", plan=PLAN, report=errors()))
    for path in ("C0/a.wav", "C1/a.wav"):
        assert f'name="file" value="{path}"' in page
        assert f'data-replace="{path}"' in page
        assert f'name="path" value="{path}"' in page
    assert "Leave out the 2 files with errors" in page
    assert "It is clipped." in page
    assert 'data-replace="C0/b.wav"' not in page
    assert "3 files were decoded for this check; the results of 59 others were kept." in page
    assert 'name="replace"' not in page, "nothing can be imported yet"
    assert config_in(page)["import_id"]


@pytest.mark.parametrize(
    ("posted", "left"),
    [
        ({"file": "C0/a.wav", "path": ["C1/a.wav"]}, {"C0/a.wav"}),
        ({"change": "leave-out", "path": ["C0/b.wav", "C1/a.wav"]}, {"C0/b.wav", "C1/a.wav"}),
        ({"change": "leave-out-errors", "path": ["C0/b.wav"]}, {"C0/a.wav", "C1/a.wav"}),
        ({"change": "check"}, set()),
    ],
)
def test_files_are_left_out_from_the_page_one_or_several(
    browser: Client, owner: User, posted: dict[str, Any], left: set[str]
) -> None:
    import_ = in_state(owner, "errors", plan=PLAN, report=errors())
    place = f"/collections/{import_.collection.slug}/imports/{import_.pk}/"
    assert browser.post(f"{place}correct/", posted).headers["Location"] == place
    import_.refresh_from_db()
    assert (import_.state, {one["path"] for one in import_.corrections}) == ("checking", left)
    assert Job.objects.get().name == "stimuli.check_import"


def test_nothing_selected_unknown_files_and_finished_imports_are_told_on_the_page(browser: Client, owner: User) -> None:
    import_ = in_state(owner, "errors", plan=PLAN, report=errors())
    place = f"/collections/{import_.collection.slug}/imports/{import_.pk}/"
    for posted, said in (
        ({"change": "leave-out"}, "Select the files to leave out first."),
        ({"file": "none.wav"}, "The import has no file"),
    ):
        assert said in browser.post(f"{place}correct/", posted, follow=True).content.decode()
    Import.objects.update(state="done", version=1)
    assert "not possible" in browser.post(f"{place}correct/", {"file": "C0/a.wav"}, follow=True).content.decode()
    assert not Job.objects.exists()


def test_the_page_lists_what_was_left_out_and_takes_it_back(browser: Client, owner: User) -> None:
    import_ = in_state(owner, "errors", plan=PLAN, report=errors())
    place = f"/collections/{import_.collection.slug}/imports/{import_.pk}/"
    browser.post(f"{place}correct/", {"file": "C0/a.wav", "reason": "Wrong export"})
    Import.objects.update(state="proposed")
    page = page_of(browser, import_)
    assert f"Left out by {owner.username}" in page
    assert "Wrong export &#x27;C0/a.wav&#x27; is broken." in page
    browser.post(f"{place}correct/", {"change": "take-back", "file": "C0/a.wav"})
    import_.refresh_from_db()
    assert (import_.state, import_.corrections) == ("checking", [])
    Import.objects.update(state="proposed")
    browser.post(f"{place}correct/", {"change": "add"})
    import_.refresh_from_db()
    assert import_.state == "receiving"


def test_a_proposal_is_confirmed_or_cancelled_from_the_page(browser: Client, owner: User) -> None:
    import_ = in_state(owner, "proposed", plan=PLAN, report=REPORT)
    place = f"/collections/{import_.collection.slug}/imports/{import_.pk}/"
    assert browser.post(f"{place}confirm/").headers["Location"] == place
    import_.refresh_from_db()
    assert (import_.state, Job.objects.get().name) == ("importing", "stimuli.commit_confirmed_import")
    shown = browser.post(f"{place}cancel/", follow=True).content.decode()
    assert "This is not possible while the import is in the state" in shown
    import_.refresh_from_db()
    assert import_.state == "importing"
    other = in_state(owner, "proposed", plan=PLAN, report=REPORT)
    browser.post(f"/collections/{other.collection.slug}/imports/{other.pk}/cancel/")
    other.refresh_from_db()
    assert other.state == "cancelled"


def test_of_thousands_not_more_is_shown_than_can_be_read() -> None:
    many = {"findings": [{"severity": "warning", "sentence": "x", "path": str(n)} for n in range(1000)]}
    assert (len(found(many)["findings"]), found(many)["more"]) == (MOST_FINDINGS, 1000 - MOST_FINDINGS)
    plan = {**PLAN, "stimuli": PLAN["stimuli"] * 1000}
    assert (len(proposed(plan)["stimuli"]), proposed(plan)["more"]) == (MOST_STIMULI, 2000 - MOST_STIMULI)
    assert found({})["findings"] == proposed({})["stimuli"] == []


def test_of_a_large_copy_the_table_is_cut_off_and_the_rest_is_in_the_download(browser: Client, owner: User) -> None:
    figures = dict.fromkeys(FIGURES, -30.0)
    copies = [{**figures, "cells": [{"item": f"i{n:05}", "condition": "<C0>"}]} for n in range(MOST_ROWS + 2)]
    plan = {"source": str(uuid4()), "target_lufs": -30.0}
    import_ = in_state(owner, "done", layout="levels", version=1, plan=plan, report={"levels": copies})
    page = page_of(browser, import_)
    assert page.count("<td>&lt;C0&gt;</td>") == MOST_ROWS
    assert "And 2 more, in the CSV." in page
    place = f"/api/v1/collections/{import_.collection.slug}/imports/{import_.pk}/levels.csv"
    assert place in page
    assert browser.get(place).content.count(b"\n") == len(copies) + 1


def test_a_level_is_written_as_it_was_asked_for_in_the_readers_way() -> None:
    assert [level(lufs) for lufs in (-30.0, -26.5, -23.25)] == ["-30", "-26.5", "-23.25"]
    with override("fr"):
        assert level(-26.5) == "-26,5"


def test_cuts_are_shown_by_time_where_the_rate_is_known() -> None:
    cut = {"item": "A", "condition": "1", "path": "a.wav", "start": 48_000, "stop": 2_928_024, "sample_rate_hz": 48_000}
    assert proposed({"stimuli": [cut]})["stimuli"][0]["part"] == "0:01.000 to 1:01.001"
    assert proposed({"stimuli": [{**cut, "clip": 3}]})["stimuli"][0]["part"] == "clip 3"
    assert [clock(seconds) for seconds in (0, 59.6, 3600, 86_399)] == ["0:00", "1:00", "1:00:00", "23:59:59"]


def test_everything_on_the_page_is_in_the_readers_language() -> None:
    report = Report()
    error = TableUnreadable(name="t.csv", problem=LazyMessage("it has more than {most} rows", most=200))
    report.reject(error)
    plan = Plan("summaries", ignored=[Ignored("b.wav", "it is not in {table}", {"table": "m.csv"})])
    plan.add(Cell("A", "full-length", "A.mp3"), role="full-length")
    told, kept = (json.loads(json.dumps(one.to_json())) for one in (report, plan))
    with override("fr"):
        shown, page = found(told)["findings"][0]["sentence"], proposed(kept)
        rows = gettext("it has more than {most} rows").format(most=200)
        assert shown == gettext(error.message).format(name="t.csv", problem=rows)
        assert page["layout"] == gettext("full-length recordings with their summaries")
        assert page["conditions"][0]["role"] == gettext("Full length").lower()
        assert page["ignored"][0]["reason"] == gettext("it is not in {table}").format(table="m.csv")
    with override("en"):
        assert "more than 200 rows" in found(told)["findings"][0]["sentence"]
        assert proposed(kept)["ignored"][0]["reason"] == "it is not in m.csv"


def test_the_levels_that_others_use_are_proposed_in_the_readers_language(browser: Client, owner: User) -> None:
    collection = new_collection(owner)
    with override("fr"):  # and back again: what a request activates stays with the thread
        title = gettext(PRESETS[0].title)
        place = f"/collections/{collection.slug}/normalise/"
        page = browser.get(place, headers={"accept-language": "fr"}).content.decode()
    assert f'<option value="-30.0">{escape(title)}</option>' in page, "a browser takes no number with a comma"
