"""Experiments as files: what is written, what is refused and why, templates, and matching of the collection."""

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
import yaml
from django.conf import settings

from core.errors import AppError
from core.jobs import queue
from core.jobs.worker import work
from core.models import Job, User
from listening.design.base import DesignRequest
from listening.experiment_file.declaration import json_schema
from listening.experiment_file.yaml_text import dump_yaml
from listening.models import Seat
from listening.panels.services import designs, extensions
from listening.panels.services.experiment_files import (
    ExperimentFileRejected,
    create_from_file,
    export_experiment,
    read_experiment_file,
)
from listening.panels.services.session_settings import change_session_settings
from rating.models import Ballot, Experiment, OwnLabelSet
from rating.services.attention import change_checks
from rating.services.editing import edit_experiment
from rating.services.experiments import design_digest
from rating.services.label_sets import approve_label_set, copy_label_set
from stimuli.models import Collection, Condition
from stimuli.services.collections import NewSound, add_stimuli, create_collection
from tests.factories import make_collection, make_experiment, make_panel_experiment, make_user, tone

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_planned_here")]
EMPTY: dict[str, Any] = {"conditions": {}, "stimuli": {}}
SMALL: dict[str, Any] = {"earmark": 1, "title": "Small", "protocol": "acr"}


def problems(**changes: Any) -> list[str]:
    with pytest.raises(ExperimentFileRejected) as caught:
        read_experiment_file(dump_yaml({**SMALL, **changes}).encode())
    rows: list[str] = caught.value.data["rows"]
    assert str(caught.value).startswith(f"The file cannot be used. {rows[0]}")
    return rows


def created(text: str, owner: User, **how: Any) -> Experiment:
    return create_from_file(content=text.encode(), owner=owner, **{"in_background": False, **how})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"titel": "x"}, "Unknown key `titel`. Did you mean `title`?"),
        ({"colour": "x"}, "Unknown key `colour`. Known: earmark, title, short_name, "),
        ({"options": {"practise": 1}}, "Unknown key `options.practise`. Did you mean `practice`?"),
        ({"options": {"practice": "1e3"}}, '`options.practice` takes a whole number from 0 to 1,000, not "1e3".'),
        ({"options": {"practice": True}}, "`options.practice` takes a whole number from 0 to 1,000, not true."),
        ({"options": {"fixation_cross": "no"}}, '`options.fixation_cross` takes true or false, not "no".'),
        ({"title": 2026}, "`title` takes a text, not 2026. Put it into quotes."),
        ({"title": " "}, "`title` cannot be empty."),
        ({"title": None}, "`title` takes a text, not nothing."),
        ({"title": "x" * 201}, "`title` takes at most 200 characters."),
        ({"short_name": "not a slug"}, "`short_name` takes letters without accents, digits, hyphens"),
        ({"earmark": 2}, "`earmark` takes one of 1, not 2."),
        ({"protocol": "arc"}, '`protocol` has no value "arc". Did you mean `acr`?'),
        ({"label_set": "acr-en1"}, '`label_set` has no value "acr-en1". Did you mean `acr-en-1`?'),
        ({"language": "tlh"}, "`language` takes one of en, "),
        ({"session": {"completion_url": "http://x.org"}}, "`session.completion_url`: The redirect URL must begin"),
        ({"session": {"rest_s": 601}}, "`session.rest_s` takes a whole number from 0 to 600, not 601."),
        ({"panels": [{"seats": 3}, {"seats": 0}]}, "`panels[2].seats` takes a whole number from 1 to 1,000, not 0."),
        ({"panels": [{"seats": 3, "group": "x"}]}, "`panels[1].group` is no group of this protocol. Known: -."),
        ({"panels": {"seats": 3}}, '`panels` takes a list, not {"seats": 3}.'),
        ({"panels": [], "design": {"preset": "crossed"}}, "`design` and `panels` exclude each other"),
        ({"design": {"preset": "imported"}}, "`design.files` belongs to the preset imported and to no other."),
        ({"design": {"preset": "crossed", "panels": 99, "seats": 99}}, "The file asks for 9,801 seats"),
        (
            {"collection": {"conditions": {"a": "tests"}, "stimuli": {}}},
            '`collection.conditions.a` has no value "tests"',
        ),
        ({"collection": {"conditions": {}}}, "`collection.stimuli` is missing."),
        ({"questions": [{"ready": "age"}]}, "`questions.age`: ready-made questions are age_band"),
        ({"questions": ["Who are you?"]}, "`questions[1]` takes keys with values"),
        (
            {"checks": {"clips": [{"item": "a", "condition": "b", "expected": "9"}]}},
            "`checks.clips[1]`: '9' is no expec",
        ),
        (
            {"checks": {"clips": [{"item": "a", "condition": "b", "expected": "1"}]}, "collection": EMPTY},
            "`checks.clips[1]`: the collection has no such clip",
        ),
        ({"analysis_plan": {"scale": "LOUD"}}, "`analysis_plan.scale`: it is one of QUALITY."),
        (
            {"analysis_plan": {"scale": "QUALITY", "rules": {"p808": 3}}},
            "`analysis_plan.rules.p808`: it is a number fr",
        ),
        (
            {"analysis_plan": {"scale": "QUALITY", "against": "x"}, "collection": EMPTY},
            "`analysis_plan.against`: the collection has no condition called 'x'.",
        ),
        (
            {"label_sets": [{"name": "own-1", "language": "pt", "scales": {}}]},
            "`label_sets[1]`: The words of the scale",
        ),
        (
            {"design": {"preset": "imported", "files": {"1.csv": ""}, "extensions": [{"panels": 1}]}},
            "`design.extensions`: a design from files has one file for each seat",
        ),
        ({"texts": "x"}, '`texts` takes keys with values, not "x".'),
    ],
)
def test_what_is_wrong_is_named_by_its_path_with_what_would_be_right(changes: dict[str, Any], told: str) -> None:
    assert any(row.startswith(told) for row in problems(**changes)), problems(**changes)


def test_everything_that_is_wrong_is_told_at_once_and_nothing_is_written() -> None:
    owner, before = make_user(), Experiment.objects.count()
    with pytest.raises(ExperimentFileRejected) as caught:
        created("titel: no\nprotocol: acr\n", owner)
    assert caught.value.data["rows"] == [
        "Unknown key `titel`. Did you mean `title`?",
        "`earmark` is missing.",
        "`title` is missing.",
    ]
    with pytest.raises(ExperimentFileRejected, match="`file` takes keys with values"):
        created("just a text\n", owner)
    assert Experiment.objects.count() == before


def test_a_file_holds_no_people_links_or_secrets() -> None:
    owner = make_user(name="somebody")
    experiment = make_experiment(owner, seats=2)
    change_session_settings(experiment=experiment, actor=owner, full_code="FULL7", full_url="https://x.org/{code}")
    written = export_experiment(experiment=experiment, actor=owner)
    known = yaml.safe_load(written)
    assert "somebody" not in written
    assert known["session"]["full_code"] == "FULL7"
    assert list(known) == [
        *("earmark", "title", "short_name", "protocol", "label_set", "language", "contact", "seed", "texts", "options"),
        *("session", "collection", "panels"),
    ]
    assert known["panels"] == [{"seats": 2}]


def test_the_example_in_the_guide_is_a_file() -> None:
    guide = (settings.BASE_DIR / "docs" / "guides" / "experiment-file.md").read_text(encoding="utf-8")
    example = guide.partition("```yaml\n")[2].partition("```")[0]
    file = read_experiment_file(example.encode())
    assert (file.values["title"], file.seats, file.is_template) == ("How good does it sound?", 8, False)


def test_a_template_takes_the_collection_that_is_chosen_and_defaults_for_what_is_missing() -> None:
    owner = make_user()
    collection = make_collection(owner)
    with pytest.raises(AppError, match="The file names no collection"):
        created(dump_yaml(SMALL), owner)
    made = created(dump_yaml({**SMALL, "panels": [{"seats": 2}]}), owner, collection=collection)
    assert (made.collection, made.slug, made.label_set) == (collection, "small", "acr-en-1")
    assert made.options["plays_allowed"] == 1
    assert "voluntary" in made.consent_text
    assert Seat.objects.filter(panel__experiment=made).count() == 2
    assert created(dump_yaml({**SMALL, "short_name": "small"}), owner, collection=collection).slug == "small-2"


def test_a_template_whose_seats_cannot_be_made_writes_nothing() -> None:
    owner = make_user()
    empty = create_collection(owner=owner, slug="empty", title="Empty")
    with pytest.raises(AppError, match="holds no stimuli"):
        created(dump_yaml({**SMALL, "panels": [{"seats": 2}]}), owner, collection=empty)
    assert not Experiment.objects.exists()


def copy_of(collection: Collection, owner: User, *, other: bool = False) -> Collection:
    """A collection of the same sounds under another name, or of one other sound."""
    copy = create_collection(owner=owner, slug=f"copy-{other}", title="Copy")
    cells = [
        (f"secretitem{item}", f"secretcondition{one}", 300 + 100 * item + 10 * one) for item in (0, 1) for one in (0, 1)
    ]
    sounds = [NewSound(item, condition, tone(hz + other * (hz == 300))) for item, condition, hz in cells]
    add_stimuli(collection=copy, sounds=sounds)
    return copy


def test_the_collection_is_found_by_what_it_holds() -> None:
    owner, elsewhere = make_user(), make_user()
    experiment = make_experiment(owner, live=False)
    written = export_experiment(experiment=experiment, actor=owner)
    with pytest.raises(AppError, match="No collection that you can see holds the sounds"):
        created(written, elsewhere)
    copy = copy_of(experiment.collection, elsewhere)
    assert created(written, elsewhere).collection == copy
    different = copy_of(experiment.collection, elsewhere, other=True)
    with pytest.raises(AppError, match="does not hold what the file lists: secretitem0 x secretcondition0"):
        created(written, elsewhere, collection=different)


def designed(**changes: Any) -> tuple[Experiment, str]:
    experiment = make_panel_experiment()
    wanted = DesignRequest(**{"panels": 1, "seats": 2, "size": 4, "sessions": 2, "factors": ("session",), **changes})
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=experiment.owner)
    return experiment, export_experiment(experiment=experiment, actor=experiment.owner)


def test_a_design_is_laid_out_again_in_the_background_under_the_same_hash() -> None:
    experiment, written = designed(conditions=("C1",))
    made = created(written, experiment.owner, in_background=True)
    assert not Seat.objects.filter(panel__experiment=made).exists()
    [job] = Job.objects.all()
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    work(claimed)
    again = export_experiment(experiment=made, actor=made.owner)
    assert again == written.replace(f"short_name: {experiment.slug}\n", f"short_name: {made.slug}\n")


def whole_experiment() -> Experiment:
    """An extended design with an own label set, questions of every place, attention checks and an analysis plan."""
    experiment = make_panel_experiment(items=14)
    actor, role = experiment.owner, Condition.Role
    traps = [NewSound("say-2", "trap", tone(510), role.TRAP), NewSound("clean", "gold", tone(530), role.GOLD)]
    add_stimuli(collection=experiment.collection, sounds=traps)
    own = copy_label_set(experiment=experiment, actor=actor, source=experiment.label_set, language="pt")
    approve_label_set(experiment=experiment, actor=actor, name=own.name)
    plan = {"scale": "OVRL", "against": "C1", "margin": 0.25, "model": "mixed", "rules": {"quick": 400, "p808": 0.5}}
    questions = [
        {"ready": "age_band", "place": "screening", "accepted": ["25_34", "35_44"]},
        {
            "key": "device",
            "place": "before",
            "kind": "several",
            "text": "Which?",
            "options": ["A", "B", "no"],
            "high": 2,
        },
        {"key": "tired", "place": "after", "kind": "scale", "text": "How tired?", "low": 0, "high": 4},
    ]
    edit_experiment(experiment=experiment, actor=actor, label_set=own.name, analysis_plan=plan, questions=questions)
    expected = {("say-2", "trap"): "2", ("clean", "gold"): "SIG 4-5, OVRL 3 to 5"}
    change_checks(experiment=experiment, repeats=1, expected=expected, actor=actor)
    experiment.refresh_from_db()
    wanted = DesignRequest(panels=2, seats=2, size=4, sessions=2, factors=("session",), seed="7")
    draft = designs.draft_design(experiment=experiment, wanted=wanted)
    designs.adopt_draft(experiment=experiment, draft=draft, actor=actor)
    for listeners, more_panels in ((1, 0), (0, 1)):
        experiment.refresh_from_db()
        more = extensions.draft_extension(experiment=experiment, listeners=listeners, panels=more_panels)
        extensions.adopt_extension(experiment=experiment, draft=more, reason=f"More: {listeners}.", actor=actor)
    return Experiment.objects.select_related("collection", "owner").get(pk=experiment.pk)


def test_every_part_survives_a_round_trip_with_the_same_seats_under_the_same_hash() -> None:
    experiment = whole_experiment()
    written = export_experiment(experiment=experiment, actor=experiment.owner)
    known = yaml.safe_load(written)
    assert [key for key in known if key in ("label_sets", "questions", "checks", "analysis_plan")] == [
        *("label_sets", "questions", "checks", "analysis_plan")
    ]
    assert [(one["listeners"], one["panels"]) for one in known["design"]["extensions"]] == [(1, 0), (0, 1)]
    assert known["checks"]["clips"][0]["expected"] == "SIG 4 to 5, OVRL 3 to 5"
    jsonschema.Draft202012Validator(json.loads(json.dumps(json_schema()))).validate(known)
    expected = design_digest(experiment)
    Experiment.objects.filter(pk=experiment.pk).update(slug="aside", label_set="own-aside")
    OwnLabelSet.objects.update(name="own-aside")

    made = created(written, experiment.owner, in_background=True)
    [job] = Job.objects.all()
    claimed = queue.claim(worker="test", names=[job.name], job_id=job.pk)
    assert claimed is not None
    work(claimed)
    made.refresh_from_db()
    assert export_experiment(experiment=made, actor=made.owner) == written
    plans = [
        sorted(Ballot.objects.filter(experiment=one).values_list("seed", "plan_sha256")) for one in (experiment, made)
    ]
    assert (len(plans[0]), plans[0]) == (9, plans[1])
    assert design_digest(made) == expected
    again = created(written, experiment.owner)
    assert again.label_set.startswith("own-pt-")
    assert again.label_set != made.label_set
    assert again.layout_sha256 == made.layout_sha256


def test_a_check_that_the_chosen_collection_does_not_have_is_refused() -> None:
    owner, clip = make_user(), {"item": "say-2", "condition": "trap", "expected": "2"}
    with pytest.raises(AppError, match="has no trap or gold clip 'say-2 x trap'"):
        created(dump_yaml({**SMALL, "checks": {"clips": [clip]}}), owner, collection=make_collection(owner))
    assert not Experiment.objects.exists()


def test_another_design_than_the_one_in_the_file_is_refused_unless_its_hash_is_taken_out() -> None:
    experiment, written = designed()
    values = yaml.safe_load(written)
    values["design"]["seed"] = "another"
    with pytest.raises(AppError, match="gives another design than the one in the file"):
        created(dump_yaml(values), experiment.owner)
    assert Experiment.objects.count() == 1
    del values["design"]["sha256"]
    assert created(dump_yaml(values), experiment.owner).layout_sha256 != experiment.layout_sha256


def test_a_design_from_files_goes_along_as_files_but_not_past_the_blinding() -> None:
    experiment, _written = designed()
    files = [(name, text.encode()) for name, text in designs.design_files(experiment, ["csv"])]
    designs.import_design(experiment=experiment, files=files, actor=experiment.owner)
    experiment.refresh_from_db()
    written = export_experiment(experiment=experiment, actor=experiment.owner)
    assert list(yaml.safe_load(written)["design"]["files"]) == ["subject_1.csv", "subject_2.csv"]
    Experiment.objects.filter(pk=experiment.pk).update(slug="aside")
    made = created(written, experiment.owner)
    assert export_experiment(experiment=made, actor=made.owner) == written
    Experiment.objects.filter(pk=made.pk).update(state="live", design_sha256="0" * 64)
    made.refresh_from_db()
    with pytest.raises(AppError, match="Unblind it first"):
        export_experiment(experiment=made, actor=made.owner)
