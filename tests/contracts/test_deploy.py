"""Compose file and images of production, checked without running them."""

import os
import re
import shutil
import subprocess
from typing import Any

import pytest
import yaml
from django.conf import settings

from config.celery import QUEUES

ROOT = settings.BASE_DIR
SECRET = re.compile(r"PASSWORD|SECRET|KEY|AUTH")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    assert isinstance(found, dict)
    return found


def test_every_lasting_service_has_a_health_check_and_is_waited_for(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        if service["restart"] == "no":
            waiting = [other for other in compose["services"].values() if name in other.get("depends_on", {})]
            assert waiting, f"nobody waits for {name}"
        else:
            assert service["healthcheck"]["test"], name
        for needed, how in service.get("depends_on", {}).items():
            once = compose["services"][needed]["restart"] == "no"
            assert how["condition"] == ("service_completed_successfully" if once else "service_healthy"), (name, needed)


def test_no_service_runs_as_root_or_can_become_it(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert str(service.get("user", "root")).split(":")[0] not in {"root", "0"}, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name


def test_no_secret_has_a_default_and_each_error_says_what_to_do(compose: dict[str, Any]) -> None:
    seen = 0
    for name, service in compose["services"].items():
        for variable, value in service.get("environment", {}).items():
            if SECRET.search(variable):
                seen += 1
                assert re.fullmatch(r"\$\{[A-Z0-9_]+:\?\w[^}]+ [^}]+\}", value), (name, variable)
    assert seen > 5
    text = (ROOT / "docker-compose.yml").read_text()
    assert not re.search(r"\$\{[A-Z0-9_]*(PASSWORD|SECRET|KEY)[A-Z0-9_]*(:?-|\})", text)


def test_every_variable_of_the_deployment_is_a_setting() -> None:
    known = set(re.findall(r"\"(EARMARK_[A-Z0-9_]+)\"", (ROOT / "config" / "settings.py").read_text()))
    for name in ("docker-compose.yml", "Dockerfile", "deploy/env.example", "deploy/healthcheck.py"):
        used = set(re.findall(r"EARMARK_[A-Z0-9_]+", (ROOT / name).read_text()))
        assert used, name
        assert used <= known, name


def test_the_example_lists_every_variable_that_compose_demands() -> None:
    demanded = set(re.findall(r"\$\{([A-Z0-9_]+):\?", (ROOT / "docker-compose.yml").read_text()))
    lines = (ROOT / "deploy" / "env.example").read_text().splitlines()
    assert demanded == {line.removesuffix("=") for line in lines if line.endswith("=")}


def test_every_volume_is_named_and_only_nginx_is_published_on_loopback(compose: dict[str, Any]) -> None:
    mounted = {entry.split(":")[0] for service in compose["services"].values() for entry in service.get("volumes", [])}
    assert {name for name in mounted if not name.startswith(".")} == set(compose["volumes"])
    published = {name: service["ports"] for name, service in compose["services"].items() if "ports" in service}
    assert list(published) == ["nginx"]
    assert all(port.startswith("127.0.0.1:") for port in published["nginx"])


def test_the_image_copies_only_what_exists_and_ends_as_an_ordinary_user() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    sources = [
        part for line in lines if line.startswith("COPY ") and "--from" not in line for part in line.split()[1:-1]
    ]
    assert sources
    for source in sources:
        assert list(ROOT.glob(source)) or source.endswith("*"), source
    stages = "\n".join(lines).split("\nFROM ")
    shipped = [stage for stage in stages if re.search(r"^\S+ AS (application|object-store)", stage)]
    assert len(shipped) == 2
    for stage in shipped:
        assert re.findall(r"^USER (\w+)$", stage, re.MULTILINE)[-1] != "root"


def test_compose_itself_accepts_the_file() -> None:
    docker = shutil.which("docker")
    if not docker or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode != 0:
        pytest.skip("Docker's compose plug-in is not on this machine")
    lines = (ROOT / "deploy" / "env.example").read_text().splitlines()
    filled = {line.removesuffix("="): "filled" for line in lines if line.endswith("=")}
    command = [docker, "compose", "--file", str(ROOT / "docker-compose.yml"), "config", "--quiet"]
    assert subprocess.run(command, env={**os.environ, **filled}, check=False).returncode == 0
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0, "an empty secret must stop it"


def test_the_workers_serve_every_queue_and_one_of_them_is_kept_free_of_bulk_jobs(compose: dict[str, Any]) -> None:
    commands = [
        service["command"] for service in compose["services"].values() if "worker" in service.get("command", [])
    ]
    served = [set(command[command.index("-Q") + 1].split(",")) for command in commands]
    assert set.union(*served) == set(QUEUES)
    assert any("bulk" not in queues for queues in served)
