"""A newcomer who follows docs/adding-a-protocol.md gets a working protocol: this test is that newcomer."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.contracts.tree import ROOT, bytecode_of, copy_kernels, every_file, link_bytecode, read, relative
from tests.migrated import copy_tables
from tests.scale import ALL

PAGE = "docs/adding-a-protocol.md"
EXAMPLE_FILE = re.compile(r"^`([\w./-]+)`\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
SETTINGS_LINE = re.compile(r"^`config/settings\.py`, in the list `(\w+)`:\n\n```python\n(.*?)\n```", re.MULTILINE)
VISIT = "tests/contracts/test_protocol_visits.py::test_a_visit_goes_from_the_link_to_a_receipt_and_into_the_result"
SUITES = (
    "tests/contracts/test_protocols.py",
    "tests/contracts/test_protocol_visits.py",
    "tests/contracts/test_docs.py::test_every_protocol_and_the_shared_method_have_a_page_with_their_title",
    "tests/contracts/test_code_rules.py::test_no_code_asks_which_protocol_it_is",
    "tests/contracts/test_code_rules.py::test_every_module_says_in_a_sentence_what_it_is",
)
WHOLE = (
    "test_every_protocol_and_the_shared_method_have_a_page_with_their_title",
    "test_every_module_says_in_a_sentence_what_it_is",
)
CHECKS = """
from django.core.management import call_command
call_command("check")
call_command("makemigrations", check_changes=True, dry_run=True)
"""
BY_THEMSELVES = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
"""
# The tests, and then the checks in the same process: most of either is to load everything.
TESTS_AND_CHECKS = f"""
import sys
import pytest
status = pytest.main(sys.argv[1:])
if status != 0:
    raise SystemExit(status)
{CHECKS}
print("checked")
"""


@dataclass(frozen=True)
class Copy:
    """A copy of the project, and what its files held before the page was followed."""

    folder: Path
    before: dict[Path, bytes]


def worked_example() -> dict[str, str]:
    return dict(EXAMPLE_FILE.findall(read(PAGE)))


def protocol_module() -> Path:
    (module,) = [Path(path) for path in worked_example() if path.endswith("/protocol.py")]
    return module


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """A copy of the project in which the page has been followed to the letter."""
    copy = tmp_path_factory.mktemp("newcomer") / "earmark"
    for path in every_file():
        target = copy / relative(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    copy_kernels(copy)
    link_bytecode(copy)
    copy_tables(copy)
    before = {relative(path): (copy / relative(path)).read_bytes() for path in every_file()}
    for name, text in worked_example().items():
        assert not (copy / name).exists(), f"{name} exists already; the example must add files, not change them"
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text, encoding="utf-8")
    add_settings_line(copy / "config/settings.py")
    yield Copy(copy, before)
    if bytecode := bytecode_of(copy):
        shutil.rmtree(bytecode, ignore_errors=True)


def add_settings_line(settings: Path) -> None:
    ((setting, line),) = SETTINGS_LINE.findall(read(PAGE))
    assert "\n" not in line
    text, count = re.subn(
        rf"(^{setting} = \[\n(?:.*\n)*?)(?=\])", rf"\1{line}\n", settings.read_text(), flags=re.MULTILINE
    )
    assert count == 1
    settings.write_text(text, encoding="utf-8")


def run(copy: Copy, *command: str) -> str:
    """Run a command in the copy as a newcomer would, without this test run's own settings; fail with what it says."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("EARMARK_", "DJANGO_"))}
    environment["EARMARK_DATA_DIR"] = str(copy.folder / "var")
    environment = {name: value for name, value in environment.items() if not name.startswith("PYTEST_")}
    # Hypothesis computes tables of Unicode once for each folder, and these are the same for every copy.
    environment["HYPOTHESIS_STORAGE_DIRECTORY"] = str(ROOT / ".hypothesis")
    done = subprocess.run(
        [sys.executable, *command],
        cwd=copy.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def test_the_example_keeps_the_contract_needs_no_migration_and_can_be_taken_from_link_to_result(followed: Copy) -> None:
    slug = protocol_module().parent.name
    own_tests = [path for path in worked_example() if path.startswith("tests/")]
    # The protocols that were there before are tested by the same suites, in this very run.
    wanted = " or ".join([slug, *WHOLE])
    asked = ("-v", "-p", "no:cacheprovider", "-k", wanted, *SUITES, *own_tests)
    spoken = run(followed, "-c", TESTS_AND_CHECKS, *asked)
    assert f"{VISIT}[{slug}] PASSED" in spoken
    assert f"test_a_protocol_keeps_its_contract[reading-{slug}] PASSED" in spoken
    assert all(f"{path}::" in spoken for path in own_tests)
    assert spoken.endswith("No changes detected\nchecked\n")


def test_the_example_passes_the_checks_of_the_code(followed: Copy) -> None:
    python = [path for path in worked_example() if path.endswith(".py")]
    run(followed, "-m", "ruff", "check", "--no-cache", *python, "config/settings.py")
    run(followed, "-m", "ruff", "format", "--no-cache", "--check", *python, "config/settings.py")
    run(followed, "-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))")
    if ALL:  # once more under the settings of a server
        run(followed, "-c", BY_THEMSELVES + CHECKS)


def test_only_new_files_and_one_settings_line_were_needed(followed: Copy) -> None:
    changed = [path for path, held in followed.before.items() if (followed.folder / path).read_bytes() != held]
    assert changed == [Path("config/settings.py")]
    after = (followed.folder / "config/settings.py").read_text(encoding="utf-8")
    assert len(after.splitlines()) == len(followed.before[changed[0]].splitlines()) + 1
    folder = protocol_module().parent
    assert {Path(path).parts[:3] for path in worked_example() if path.startswith("tests/")} == {
        ("tests", *folder.parts)
    }
    assert all(Path(path).is_relative_to(folder) for path in worked_example() if not path.startswith("tests/"))


@pytest.mark.long
def test_a_protocol_with_a_mistake_is_stopped(followed: Copy) -> None:
    """The same road with a broken file must not lead anywhere, or the tests above show nothing."""
    module = followed.folder / protocol_module()
    right = module.read_text(encoding="utf-8")
    module.write_text(right.replace("label_sets = (", "label_sets = () and ("), encoding="utf-8")
    try:
        with pytest.raises(AssertionError, match="has no label set"):
            run(followed, "manage.py", "check")
    finally:
        module.write_text(right, encoding="utf-8")


@pytest.mark.long
def test_a_protocol_that_was_installed_as_a_package_works_the_same_way(followed: Copy, tmp_path: Path) -> None:
    """The same folder outside the project, under the name of another package."""
    folder = protocol_module().parent
    package = tmp_path / "some_laboratory"
    shutil.copytree(followed.folder / folder, package / folder.name)
    (package / "__init__.py").touch()
    for path in package.rglob("*.py"):
        path.write_text(path.read_text(encoding="utf-8").replace("protocols.", "some_laboratory."), encoding="utf-8")
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from config import settings
here, there = "protocols.{folder.name}", "some_laboratory.{folder.name}"
settings.INSTALLED_APPS = [there if app == here else app for app in settings.INSTALLED_APPS]
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from django.core.management import call_command
call_command("check")
from rating.registry import get_protocol, protocol_apps
from django.template.loader import render_to_string
print(type(get_protocol("{folder.name}")).__module__, bool(render_to_string("{folder.name}/instructions.html")))
"""
    assert run(followed, "-c", program).split()[-2:] == [f"some_laboratory.{folder.name}.protocol", "True"]
