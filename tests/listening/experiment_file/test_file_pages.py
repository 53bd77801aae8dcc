"""Ways to an experiment's file: the pages, the commands and the API, and what each says when a file is wrong."""

import io
import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from core.models import Job
from rating.models import Experiment
from tests.factories import make_experiment, make_user
from tests.people import bearing, browser_of, token_of

pytestmark = pytest.mark.django_db
PAGE = "/new-experiment/file/"


@pytest.fixture(scope="module")
def shared_experiment(module_db: None) -> Experiment:
    return make_experiment(make_user(name="erin"), live=False, seats=2, title="Über alles: no")


def sent(client: Client, text: str, **fields: Any) -> Any:
    file = SimpleUploadedFile("test.yaml", text.encode())
    return client.post(PAGE, {"file": file, "collection": "", **fields})


def test_a_download_makes_the_same_experiment_again_on_the_page(experiment: Experiment) -> None:
    client = browser_of(experiment.owner)
    address = f"/experiments/{experiment.slug}/file/"
    assert address in client.get(f"/experiments/{experiment.slug}/").content.decode()
    assert PAGE in client.get("/new-experiment/").content.decode()
    answer = client.get(address)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{experiment.slug}.yaml"'
    written = answer.content.decode()
    made_answer = sent(client, written)
    assert made_answer.status_code == 302
    made = Experiment.objects.exclude(pk=experiment.pk).get()
    assert made_answer.headers["Location"] == f"/experiments/{made.slug}/"
    assert (made.title, made.collection, made.seed) == (experiment.title, experiment.collection, experiment.seed)
    assert Job.objects.get().arguments["seats"] == 2
    page = client.get(made_answer.headers["Location"]).content.decode()
    assert "created as a draft from the file" in page


def test_the_page_says_beside_the_file_what_is_wrong_with_it(experiment: Experiment) -> None:
    client = browser_of(experiment.owner)
    answer = sent(client, "earmark: 1\ntitel: Test\nprotocol: acr\n")
    page = answer.content.decode()
    assert answer.status_code == 422
    field = page.partition('name="file"')[0].rpartition("<div>")[2]
    assert "Unknown key `titel`. Did you mean `title`?" in field
    assert "`title` is missing." in field
    template = sent(client, "earmark: 1\ntitle: Test\nprotocol: acr\n")
    assert "The file names no collection. Choose the one to use." in template.content.decode()
    assert client.post(PAGE, {}).status_code == 400
    assert Experiment.objects.count() == 1
    chosen = sent(client, "earmark: 1\ntitle: Test\nprotocol: acr\n", collection=experiment.collection.slug)
    assert chosen.status_code == 302


def test_the_commands_write_a_file_and_create_from_it(experiment: Experiment, tmp_path: Path) -> None:
    file, said = tmp_path / "test.yaml", io.StringIO()
    call_command("export_experiment", experiment.slug, out=file, stdout=said)
    written = file.read_text(encoding="utf-8")
    call_command("create_experiment", "--from", str(file), "--owner", "erin", stdout=said)
    made = Experiment.objects.exclude(pk=experiment.pk).get()
    assert f"Created the draft '{made.slug}' with 2 seats" in said.getvalue()
    again = io.StringIO()
    call_command("export_experiment", made.slug, stdout=again)
    assert again.getvalue() == written.replace(f"short_name: {experiment.slug}\n", f"short_name: {made.slug}\n")

    file.write_text("earmark: 1\ntitel: x\nprotocol: acr\n")
    wrong = io.StringIO()
    with pytest.raises(CommandError, match="Nothing was created"):
        call_command("create_experiment", "--from", str(file), "--owner", "erin", stderr=wrong)
    assert "Did you mean `title`?" in wrong.getvalue()
    for bad in (["--from", str(file), "--owner", "nobody"], ["--from", "missing.yaml", "--owner", "erin"]):
        with pytest.raises(CommandError):
            call_command("create_experiment", *bad)
    with pytest.raises(CommandError, match="--schema alone"):
        call_command("export_experiment")
    assert Experiment.objects.count() == 2


def test_the_api_gives_a_file_and_takes_one_and_the_schema_is_public(experiment: Experiment) -> None:
    client = bearing(token_of(experiment.owner, "read", "write"))
    written = client.get(f"/api/v1/experiments/{experiment.slug}/file/").content.decode()
    made = client.post("/api/v1/experiment-files/", {"file": written}, "application/json")
    assert made.status_code == 201
    assert made.json()["slug"] != experiment.slug
    refused = client.post("/api/v1/experiment-files/", {"file": "title: 5\n"}, "application/json")
    assert refused.status_code == 422
    assert "`title` takes a text, not 5. Put it into quotes." in refused.content.decode()

    schema = Client().get("/api/v1/experiment-files/schema/").json()
    printed = io.StringIO()
    call_command("export_experiment", schema=True, stdout=printed)
    assert schema == {**json.loads(printed.getvalue()), "$id": schema["$id"]}
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    values = yaml.safe_load(written)
    assert validator.is_valid(values)
    changes: list[dict[str, Any]] = [
        {"titel": "x"},
        {"options": {"practice": "x"}},
        {"label_set": "p835-en-1"},
        {"design": {}},
    ]
    for change in changes:
        assert not validator.is_valid({**values, **change}), change
