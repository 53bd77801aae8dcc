"""The documentation says everything there is to say, and nothing that is not so."""

import ast
import json
import re
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

import core.errors
from analysis import exports
from analysis.registry import get_method
from audio.errors import AudioError
from core.jobs import declared_jobs
from core.management.commands import error_docs
from rating.registry import module_of, protocols
from stimuli.sandbox import to_app_error
from tests.contracts.tree import APPS, ROOT, files, holding, modules, parsed, read, relative

PAGES = [path for path in files(".md") if relative(path).parts[0] not in {"tests", "frontend"}]
SETTING = re.compile(r"EARMARK_[A-Z0-9]+(?:_[A-Z0-9]+)*(?![A-Z0-9_])")
FENCE = re.compile(r"```\w*\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def table(page: str) -> dict[str, list[str]]:
    """Read the rows of a page's tables that begin with a name in backticks: name, then the other cells."""
    rows = {}
    for line in read(page).splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| `") and (name := re.match(r"`([^`]+)`", cells[0])):
            assert name[1] not in rows, f"{page} lists {name[1]} twice"
            rows[name[1]] = cells[1:]
    return rows


# --- Settings ---------------------------------------------------------------------------------------------------------


@cache
def settings_in_code() -> set[str]:
    found = set()
    for path in files(".py", ".yml", ".conf", ".example", ".env", ".sh", ".mjs", "", ".toml"):
        if relative(path) != relative(ROOT / "tests/contracts/test_docs.py"):
            found |= set(SETTING.findall(path.read_text(encoding="utf-8", errors="ignore")))
    return found


def test_every_setting_is_documented_and_every_documented_setting_exists() -> None:
    documented = set(table("docs/settings.md"))
    assert settings_in_code() - documented == set()
    assert documented - settings_in_code() == set()


def literal_defaults() -> dict[str, str]:
    """Read the defaults of env.kind("EARMARK_X", default=literal) in the settings file."""
    defaults = {}
    for node in ast.walk(parsed(ROOT / "config/settings.py")):
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).startswith("env."):
            default = next((keyword.value for keyword in node.keywords if keyword.arg == "default"), None)
            if isinstance(default, ast.Constant) and isinstance(node.args[0], ast.Constant):
                defaults[str(node.args[0].value)] = str(default.value)
    return defaults


def test_the_documented_defaults_are_the_real_ones() -> None:
    documented = table("docs/settings.md")
    wrong = {
        name: (documented[name][0], default)
        for name, default in literal_defaults().items()
        if documented[name][0] != (f"`{default}`" if default else "none")
    }
    assert not wrong


# --- Errors -----------------------------------------------------------------------------------------------------------


@cache
def collected_errors() -> list[error_docs.Raised]:
    return error_docs.collect_errors(ROOT)


def test_every_error_is_a_whole_sentence_built_in_one_place() -> None:
    errors = collected_errors()
    assert len(errors) > 150
    assert list(error_docs.problems(errors)) == []


def test_the_classes_of_errors_are_listed_where_they_are_explained() -> None:
    explained = (core.errors.__doc__ or "").partition("folder):")[2].partition("The audio library")[0]
    declared = {
        node.name
        for path in holding({"AppError"}, modules(*({*APPS} - {"protocols"})))
        for node in parsed(path).body
        if isinstance(node, ast.ClassDef) and "AppError" in map(ast.unparse, node.bases)
    }
    assert set(re.findall(r"\b[A-Z][a-z]+[A-Z]\w+", explained)) == declared


def test_the_page_of_errors_is_up_to_date() -> None:
    page = read("docs/errors.md")
    assert error_docs.written_page(collected_errors(), page) == page
    assert set(table("docs/errors.md")) == {error.code for error in collected_errors()}


def test_a_note_is_kept_and_the_rest_follows_the_code() -> None:
    page = "# Errors\n\nHead.\n\n## x\n\n| `vote.old` | 400 | Gone. | lost |\n| `vote.new` | 400 | Other. | kept |\n"
    errors = error_docs.find_errors('AppError("vote.new", 409, _("It is {size:.2f} MB."), size=1)', "rating/x.py")
    written = error_docs.written_page(errors, page)
    assert written.startswith("# Errors\n\nHead.\n\n## ")
    assert "| `vote.new` | 409 | It is {size} MB. | kept |" in written
    assert "vote.old" not in written


@pytest.mark.parametrize("kind", AudioError.__subclasses__())
def test_an_audio_error_is_documented_with_the_status_that_it_gets(kind: type[AudioError]) -> None:
    places = dict.fromkeys(error_docs.places(kind.message), 1)
    assert table("docs/errors.md")[kind.code][0] == str(to_app_error(kind(**places)).status)


GOOD = 'AppError("vote.one", 409, _("It is {name}."), name="x")\n'


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        (GOOD + GOOD, "is raised at"),
        ('AppError("vote.one", 200, _("It is."))', "no status"),
        ('AppError("Vote One", 409, _("It is."))', "no code"),
        ('AppError("vote.one", 409, _("it is."))', "no whole sentence"),
        ('AppError("vote.one", 409, _("It is"))', "no whole sentence"),
        ('AppError("vote.one", 409, "It is.")', "marked for translation"),
        ('AppError("vote.one", 409, _("It is {name}."))', "without name"),
        ('AppError("nowhere.one", 409, _("It is."))', "no section"),
        ('class One(AppError):\n def __init__(self):\n  super().__init__("vote.one", 409, _("{a}."))', "without a"),
    ],
)
def test_a_planted_error_that_breaks_a_rule_is_found(planted: str, found: str) -> None:
    assert list(error_docs.problems(error_docs.find_errors(GOOD, "rating/x.py"))) == []
    assert any(found in problem for problem in error_docs.problems(error_docs.find_errors(planted, "rating/x.py")))


# --- Plug-ins and jobs ------------------------------------------------------------------------------------------------


def test_every_protocol_and_the_shared_method_have_a_page_with_their_title() -> None:
    for slug, protocol in protocols().items():
        page = read(f"protocols/{slug}/docs.md")
        assert page.startswith(f"# {protocol.title}\n")
        assert (module_of(slug, "analysis") is None) == ("\n## Analysis\n" not in page)
    assert read("docs/methods/mos.md").startswith(f"# {get_method('mos').title}\n")


def test_every_job_is_in_the_architecture() -> None:
    ours = {name for name in declared_jobs() if name.partition(".")[0] in APPS}
    assert ours
    assert set(table("docs/architecture.md")) & set(declared_jobs()) == ours


def test_every_column_of_the_download_is_explained_in_its_order() -> None:
    assert list(table("docs/data.md")) == exports.COLUMNS


# --- Commands ---------------------------------------------------------------------------------------------------------


@cache
def targets() -> set[str]:
    spoken = subprocess.run([ROOT / "earmark", "help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  (\w+) ", spoken, re.MULTILINE))


def test_every_target_is_documented_and_every_command_in_the_docs_exists() -> None:
    commands = get_commands()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert set(re.findall(r"\./earmark ([a-z_]+)", text)) <= targets(), page.name
        assert set(re.findall(r"(?:manage\.py|\./earmark manage) ([a-z_]+)", text)) <= set(commands), page.name
    assert set(re.findall(r"^\| `\./earmark (\w+)", read("docs/commands.md"), re.MULTILINE)) == targets()


def test_the_first_screen_of_the_readme_holds_the_two_commands() -> None:
    first_fence = FENCE.search(read("README.md"))
    assert first_fence is not None
    assert re.findall(r"^\./earmark \w+", first_fence[1], re.MULTILINE) == ["./earmark run", "./earmark test"]
    assert read("README.md")[: first_fence.end()].count("\n") <= 30


def own_commands() -> dict[str, BaseCommand]:
    return {
        name: load_command_class(app, name) for name, app in get_commands().items() if app.partition(".")[0] in APPS
    }


def test_every_management_command_is_documented_with_its_options() -> None:
    text = read("docs/commands.md")
    sections = dict(re.findall(r"^### `manage\.py (\w+)[^\n]*\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(own_commands())
    for name, command in own_commands().items():
        django = next((base for base in type(command).mro()[1:] if base.__module__.startswith("django.")), BaseCommand)
        plain = {action.dest for action in django().create_parser("", "")._actions}
        parser = command.create_parser("manage.py", name)
        options = [option for a in parser._actions if a.dest not in plain for option in a.option_strings[-1:]]
        heading = next(line for line in text.splitlines() if line.startswith(f"### `manage.py {name}"))
        missing = [option for option in options if option not in heading + sections[name]]
        assert not missing, f"docs/commands.md says nothing of {name} {missing}"


# --- Dependencies and links -------------------------------------------------------------------------------------------


def dependencies() -> set[str]:
    names = set()
    for page in ROOT.glob("requirements*.in"):
        for line in page.read_text(encoding="utf-8").splitlines():
            if found := re.match(r"[A-Za-z0-9][\w.-]*", line):
                names.add(found[0].lower())
    package = json.loads(read("frontend/package.json"))
    return names | set(package.get("dependencies", {})) | set(package.get("devDependencies", {}))


def test_every_dependency_has_its_reason_and_none_is_listed_that_is_gone() -> None:
    documented = table("docs/dependencies.md")
    assert dependencies() - set(documented) == set()
    assert set(documented) - dependencies() == set()
    assert all(len(cells[-1]) > 10 for cells in documented.values())


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(relative(path)))
def test_every_link_leads_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    inner = [target for target in LINK.findall(text) if not re.match(r"\w+:", target)]
    broken = [target for target in inner if not (page.parent / unquote(target.partition("#")[0])).exists()]
    assert not broken
