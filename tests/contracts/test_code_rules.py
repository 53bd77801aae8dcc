"""Code rules, held against every file; and a planted defect for each rule, which it must find."""

import ast
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from rating.registry import protocols
from tests.contracts import rules
from tests.contracts.tree import APPS, ROOT, every_file, files, holding, modules, opening, parsed, relative, text_of

# Lock files are written by tools and hold no prose. These two state the rules themselves.
UNREAD = {"package-lock.json"}
STATES_THE_RULES = {"tests/contracts/rules.py", "tests/contracts/test_code_rules.py"}


# Modules that are short by their kind: what Django, pytest or the build finds by its name, and entries of pages.
SHORT_KINDS = {
    "__init__",
    "__main__",
    "admin",
    "api_urls",
    "apps",
    "checks",
    "conftest",
    "index",
    "manage",
    "serializers",
    "tasks",
    "urls",
}
SHORT_FOLDERS = {"bench", "commands", "config", "deploy", "migrations", "pages", "scripts", "tests"}
# Other modules below the limit, each with its reason.
SHORT_MODULES = {
    "audio/compiled.py": "eight modules compile their loops with it",
    "audio/decode/open.py": "ten modules open files with it",
    "core/accounts.py": "adapters that settings name by their path",
    "core/check_result.py": "doctor, commands and start-up checks share it",
    "core/fsync.py": "five modules of three apps flush with it",
    "core/hashing.py": "used without Django by fourteen modules",
    "core/hmacs.py": "needs settings, which core/hashing.py must not",
    "core/jobs/schedule.py": "both workers call it, and neither imports the other",
    "core/languages.py": "eight modules of three apps",
    "core/mail.py": "accounts, invitations and alerts send with it",
    "core/posts.py": "decorates the views of five apps",
    "core/sessions.py": "a session engine is a module that settings name",
    "core/spreadsheets.py": "every export of four apps goes through it",
    "core/stored_json.py": "nine modules of three apps",
    "frontend/src/lib/dom.ts": "nearly every script",
    "frontend/src/lib/theme.ts": "loaded before everything else, alone",
    "frontend/src/matrix/waveforms.ts": "drawn on two pages",
    "frontend/src/trial/fakePages.ts": "for tests",
    "frontend/src/workspace/pageBefore.ts": "way back of two protocols",
    "frontend/src/workspace/submitDialog.ts": "dialog of three protocols",
    "listening/management/experiments.py": "ten commands share it",
    "protocols/chaptering/view/contract.ts": "types that the parts of the view share",
    "protocols/p835/export.py": "found by its name",
    "protocols/tcsd_plane/paper.py": "found by its name",
    "protocols/tcsd_plane/view/placeMemory.ts": "the only part of the view that speaks to the tab's storage",
    "rating/pace.py": "constants that three protocols and the durations share",
    "stimuli/errors.py": "raised inside the sandbox, which loads little",
    "stimuli/management/preparing.py": "two commands share it",
    "stimuli/times_of_day.py": "shared by forms, services and readers without Django",
}


def hold(paths: Iterable[Path], judge: Callable[[Path], list[str]]) -> None:
    """Fail with one line a complaint."""
    complaints = [f"{relative(path)}: {problem}" for path in paths for problem in judge(path)]
    assert not complaints, "\n" + "\n".join(complaints)


def called(names: Iterable[str]) -> set[str]:
    """What stands in the text of a module that calls methods of these names."""
    return {f".{name}" for name in names}


def test_every_module_can_be_read_in_one_sitting() -> None:
    sources = [*modules(), *files(".ts", under=("frontend", "protocols"))]
    hold(sources, lambda path: rules.module_size(text_of(path)))


def test_a_short_module_has_a_reason() -> None:
    sources = [*modules(), *files(".ts", under=("frontend", "protocols"))]
    unnamed = [
        path
        for path in sources
        if path.stem not in SHORT_KINDS
        and not path.name.endswith((".test.ts", ".d.ts"))
        and not SHORT_FOLDERS & set(relative(path).parts[:-1])
    ]
    short = {str(relative(path)) for path in unnamed if rules.too_short(text_of(path))}
    assert short == SHORT_MODULES.keys()


def test_every_function_fits_on_one_screen() -> None:
    sources = [path for path in modules() if relative(path).parts[0] != "tests"]
    hold(sources, lambda path: rules.function_size(parsed(path)))


def test_every_module_says_in_a_sentence_what_it_is() -> None:
    hold(modules(), lambda path: rules.docstring(opening(path)))


def test_no_module_has_a_name_that_says_nothing() -> None:
    vague = [path for path in every_file() if path.suffix in {".py", ".ts"} and path.stem in rules.VAGUE_NAMES]
    vague += [path for path in modules() if set(relative(path).parent.parts) & rules.VAGUE_NAMES]
    assert not vague


def test_time_has_a_zone_and_randomness_is_passed_in() -> None:
    sources = [path for path in modules() if relative(path).parts[0] not in {"tests", "bench"}]
    hold(holding(called(rules.CLOCKS), sources), lambda path: rules.naive_time(parsed(path)))
    hold(holding({"random"}, sources), lambda path: rules.global_randomness(parsed(path)))


# Import contracts keep Django out of these, so nothing that they call `update` or `save` can be a row.
PURE = {("stimuli", "imports")}


def may_write(path: Path) -> bool:
    parts = relative(path).parts
    writes = bool({"services", "management", "migrations"} & set(parts)) or path.name == "services.py"
    return writes or parts[:2] in PURE or parts == ("core", "jobs", "queue.py")


def test_only_services_write() -> None:
    sources = [path for path in modules(*APPS) if not may_write(path)]
    hold(holding(called(rules.WRITING_METHODS), sources), lambda path: rules.writes(parsed(path)))


def is_about(path: Path, slug: str) -> bool:
    """A protocol's own files, the demo that uses it, and the list of plug-ins may name it."""
    return slug in path.parts or "demo" in path.stem or path.name in {"settings.py", "screenshots.py"}


@pytest.mark.parametrize("slug", sorted(protocols()))
def test_no_code_asks_which_protocol_it_is(slug: str) -> None:
    sources = [*modules(*APPS, "config", "scripts"), *files(".ts", ".mjs", under=("frontend", "protocols"))]
    others = [path for path in sources if not is_about(path, slug)]
    hold(others, lambda path: rules.named(text_of(path), slug))


def test_every_listener_and_timer_belongs_to_a_scope() -> None:
    sources = [
        path
        for path in files(".ts", under=("frontend", "protocols"))
        if relative(path) != Path("frontend/src/lib/scope.ts") and not path.name.endswith(".test.ts")
    ]
    hold(sources, lambda path: rules.unowned_listeners(text_of(path)))


def test_nothing_names_the_machine_it_was_written_on() -> None:
    def judge(path: Path) -> list[str]:
        try:
            return rules.machine_paths(text_of(path))
        except UnicodeDecodeError:
            return []

    kept = [path for path in every_file() if str(relative(path)) not in STATES_THE_RULES]
    hold(kept, judge)


def test_no_work_is_left_as_a_note_to_oneself() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    sources = [path for path in every_file() if path.suffix in {".py", ".ts", ".html", ".css", ".md", ".sh", ""}]
    noted = [
        f"{relative(path)}: {mark}"
        for path in sources
        for mark in marks
        if path.name not in UNREAD and mark in path.read_text(encoding="utf-8", errors="ignore")
    ]
    assert not noted


PLANTED: list[tuple[Callable[[str], list[str]], str]] = [
    (rules.module_size, "line\n" * 601),
    (rules.too_short, "line\n" * 39),
    (lambda text: rules.function_size(ast.parse(text)), "def f():\n" + "    x = 1\n" * 40),
    (lambda text: rules.docstring(ast.parse(text)), "x = 1"),
    (lambda text: rules.docstring(ast.parse(text)), '"""no sentence"""'),
    (lambda text: rules.docstring(ast.parse(text)), '"""What a sentence says."""'),
    (lambda text: rules.naive_time(ast.parse(text)), "datetime.now()"),
    (lambda text: rules.naive_time(ast.parse(text)), "datetime.datetime.utcnow()"),
    (lambda text: rules.naive_time(ast.parse(text)), "date.today()"),
    (lambda text: rules.global_randomness(ast.parse(text)), "random.shuffle(x)"),
    (lambda text: rules.global_randomness(ast.parse(text)), "np.random.rand(3)"),
    (lambda text: rules.global_randomness(ast.parse(text)), "from random import choice"),
    (lambda text: rules.writes(ast.parse(text)), "seat.save()"),
    (lambda text: rules.writes(ast.parse(text)), "Vote.objects.create(a=1)"),
    (lambda text: rules.named(text, "acr"), 'if protocol == "acr":'),
    (rules.unowned_listeners, 'window.addEventListener("x", f)'),
    (rules.machine_paths, "see /home/someone/notes"),
    (rules.machine_paths, '"resolved": "https://registry.example.org/x.tgz"'),
]
INNOCENT: list[tuple[Callable[[str], list[str]], str]] = [
    (rules.module_size, "line\n" * 600),
    (rules.too_short, "line\n" * 40),
    (lambda text: rules.docstring(ast.parse(text)), '"""A sentence."""'),
    (lambda text: rules.naive_time(ast.parse(text)), "datetime.now(UTC)"),
    (
        lambda text: rules.global_randomness(ast.parse(text)),
        "rng.shuffle(x); np.random.default_rng(3); random.Random(1)",
    ),
    (lambda text: rules.writes(ast.parse(text)), "services.save_vote(); response.headers.update(x)"),
    (lambda text: rules.docstring(ast.parse(text)), ""),
    (lambda text: rules.named(text, "acr"), "sacred acronym acr-en-1"),
    (rules.machine_paths, "https://example.org/home/ and frontend/rootless/x"),
]


@pytest.mark.parametrize(("rule", "defect"), PLANTED)
def test_each_rule_finds_a_planted_defect(rule: Callable[[str], list[str]], defect: str) -> None:
    assert rule(defect)


@pytest.mark.parametrize(("rule", "text"), INNOCENT)
def test_no_rule_complains_about_what_is_right(rule: Callable[[str], list[str]], text: str) -> None:
    assert rule(text) == []


def test_the_rules_look_at_the_whole_project() -> None:
    """If the walk found nothing, every test above would pass."""
    seen = {str(relative(path)) for path in modules()}
    assert {f"{app}/__init__.py" for app in APPS} <= seen
    assert (ROOT / "manage.py").exists()
