"""`./earmark run`: from a fresh clone to a working address, and a clean stop."""

import argparse
import ipaddress
import os
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from scripts.console import LOGS, ROOT, Stop, explain, say, shown, step, words
from scripts.install import PYTHON, set_up
from scripts.prepare import WORDS_FOLLOW
from scripts.processes import Child, stop_all

READY_TIMEOUT_S = 120
LARGEST_LOG_BYTES = 10 * 1024 * 1024
# Ctrl-C does not wait for a demo that is being made: after three seconds a job goes back to the queue.
WORKER = ("run_worker", "--grace", "3")
WILDCARDS = {"0.0.0.0", "::"}  # noqa: S104 - compared with, never bound by default


def run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./earmark run", description="Start Earmark on this machine.")
    parser.add_argument("--port", type=int, default=8000, help="the port to listen on (8000)")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1: this machine only)")
    options = parser.parse_args(arguments)
    refuse_taken_port(options.host, options.port)
    set_up()
    keep_private()
    environment = addresses(options.host, options.port)
    said = prepare(environment)
    return serve(options.host, options.port, environment, said)


def keep_private() -> None:
    """Data and logs are for this account alone, also what an earlier start left open to others."""
    os.umask(0o077)
    LOGS.parent.mkdir(parents=True, exist_ok=True)
    LOGS.parent.chmod(0o700)


def refuse_taken_port(host: str, port: int) -> None:
    """Say so before anything else is done; the installation would only have delayed the bad news."""
    try:
        _bind(host, port)
    except PermissionError:
        raise Stop(f"Port {port} is reserved for root; choose one above 1023: ./earmark run --port 8000.") from None
    except (socket.gaierror, OverflowError) as error:
        raise Stop(f"{host}:{port} is not an address ({error}); try: ./earmark run --host 127.0.0.1.") from None
    except OSError as error:
        if port == 0 or not _in_use(error):
            raise Stop(f"{host} is not an address of this machine ({error}); leave --host out.") from None
        free = next((number for number in range(port + 1, min(port + 100, 65535)) if _is_free(host, number)), 0)
        raise Stop(
            f"Port {port} is taken by another program; stop that program, or choose another port: "
            f"./earmark run --port {free or 8001}."
        ) from None


def _bind(host: str, port: int) -> None:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
        probe.listen(1)


def _in_use(error: OSError) -> bool:
    import errno

    return error.errno == errno.EADDRINUSE


def _is_free(host: str, port: int) -> bool:
    try:
        _bind(host, port)
    except OSError:
        return False
    return True


def addresses(host: str, port: int) -> dict[str, str]:
    """The settings that follow from the address; whatever the environment already says goes first."""
    named = host if host not in WILDCARDS else socket.gethostname()
    written = f"[{named}]" if ":" in named else named
    derived = {"EARMARK_PUBLIC_URL": f"http://{written}:{port}"}
    if not is_loopback(host):
        reachable = {"127.0.0.1", "localhost", "[::1]", written, socket.gethostname()}
        derived["EARMARK_HOSTS"] = ",".join(sorted(reachable))
        # Others can reach this server now, so staff need more than a password (docs/settings.md).
        derived["EARMARK_SECOND_FACTOR"] = "true"
    return {name: os.environ.get(name, value) for name, value in derived.items()}


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def prepare(environment: dict[str, str]) -> str:
    """Database, static files and demo; returns what the demo has to say about logins and links."""
    say("Preparing the database, the static files and the demo ...")
    output = step("Prepared", words(PYTHON, "-m", "scripts.prepare"), log="prepare", env=environment)
    for_the_log, _, said = output.partition(WORDS_FOLLOW)
    (LOGS / "prepare.log").write_text(for_the_log)  # logins and links are secrets
    return said.strip()


def children(host: str, port: int, environment: dict[str, str]) -> list[Child]:
    written = f"[{host}]" if ":" in host else host
    settings = ROOT / "deploy" / "gunicorn.conf.py"
    gunicorn = words(PYTHON, "-m", "gunicorn", "--config", settings, "--bind", f"{written}:{port}")
    return [
        Child("web server", [*gunicorn, "config.wsgi:application"], log=_fresh_log("web"), env=environment),
        Child("worker", words(PYTHON, ROOT / "manage.py", *WORKER), log=_fresh_log("worker"), env=environment),
    ]


def _fresh_log(name: str) -> Path:
    """A log that has grown large makes way for a new one; the last one is kept."""
    path = LOGS / f"{name}.log"
    if path.exists() and path.stat().st_size > LARGEST_LOG_BYTES:
        path.replace(path.with_suffix(".log.1"))
    return path


class _Stopped(Exception):
    """The parent was asked to stop."""


def serve(host: str, port: int, environment: dict[str, str], said: str) -> int:
    """Start both children, say where Earmark is, and look after them until told to stop."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _Stopped

    started = children(host, port, environment)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        for child in started:
            child.start()
        wait_until_ready(host, port, started[0])
        announce(environment["EARMARK_PUBLIC_URL"], said)
        look_after(started)
    except _Stopped:
        say("\nStopping ...")
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        stop_all(started)
    say("Stopped. Everything is saved; ./earmark run starts it again.")
    return 0


def look_after(started: Sequence[Child]) -> NoReturn:
    """Restart a child that has ended, until asked to stop."""
    while True:
        for child in started:
            if line := child.look_after(time.monotonic()):
                say(line)
        time.sleep(0.3)


def wait_until_ready(host: str, port: int, web: Child) -> None:
    loopback = host if host not in WILDCARDS else "127.0.0.1"
    written = f"[{loopback}]" if ":" in loopback else loopback
    # No proxy, whatever the environment says: the server is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + READY_TIMEOUT_S
    while time.monotonic() < deadline and web.alive:
        try:
            with opener.open(f"http://{written}:{port}/healthz", timeout=5):
                return
        except urllib.error.HTTPError as answer:
            if answer.code < 500:  # it answers, though perhaps only to another name (EARMARK_HOSTS)
                return
        except OSError:
            pass
        time.sleep(0.2)
    raise Stop(explain("web server", web.log.read_text(errors="replace"), web.log))


def announce(public_url: str, said: str) -> None:
    say("")
    say(said or f"Earmark    {public_url}/")
    say(f"Logs are in {shown(LOGS)}. Ctrl-C stops everything.")
