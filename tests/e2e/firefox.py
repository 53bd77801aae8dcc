"""Firefox as a distribution packs it, driven with a keyboard and a pointer over WebDriver BiDi (W3C)."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import ClientConnection, connect

from scripts.provision import firefox_program
from tests.e2e.viewing import ROUND_MS, AnyViewing
from tests.servers import Server, running, scratch_folder

EVENTS = ("network.beforeRequestSent", "network.responseCompleted", "network.fetchError", "log.entryAdded")
ANSWER_TIMEOUT_S = 60
# WebDriver's names of keys that write nothing (https://www.w3.org/TR/webdriver2/#keyboard-actions).
KEYS = {"Tab": "\ue004", "Control": "\ue009", "Escape": "\ue00c", "Space": " ", "End": "\ue010", "Home": "\ue011"}


def firefox_to_drive() -> Path | None:
    """Firefox, where there is also PulseAudio, which is its sound device here."""
    return firefox_program() if shutil.which("pulseaudio") else None


class PulseAudioServer(Server):
    """A sound device that keeps the time and is silent: without one, Firefox's audio clock never runs."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.socket = folder / "pulse"
        self.environment = {**os.environ, "HOME": str(folder), "PULSE_RUNTIME_PATH": str(folder)}

    def command(self) -> list[str]:
        options = ["-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--log-target=stderr"]
        modules = [
            "--load=module-null-sink",
            f"--load=module-native-protocol-unix auth-anonymous=1 socket={self.socket}",
        ]
        return ["pulseaudio", *options, *modules]

    def answers(self) -> bool:
        return self.socket.exists()


class FirefoxServer(Server):
    """A Firefox with a fresh profile and no window, which waits to be driven, and so asks nobody for anything else."""

    def __init__(self, folder: Path, program: Path, sound: PulseAudioServer) -> None:
        super().__init__(folder)
        self.program = program
        self.environment = {**os.environ, "PULSE_SERVER": f"unix:{sound.socket}"}

    def command(self) -> list[str]:
        options = ["--headless", "--no-remote", f"--remote-debugging-port={self.port}", f"--profile={self.folder}"]
        return [str(self.program), *options]

    def answers(self) -> bool:
        return "WebDriver BiDi listening" in self.log()


class Refused(RuntimeError):
    """Firefox did not do what it was told."""


class Wire:
    """The connection: orders go out one at a time, answers come back, and events come whenever they like."""

    def __init__(self, socket: ClientConnection, on_event: Callable[[str, dict[str, Any]], None]) -> None:
        self._socket = socket
        self._on_event = on_event
        self._orders = 0

    def order(self, method: str, **params: object) -> dict[str, Any]:
        self._orders += 1
        self._socket.send(json.dumps({"id": self._orders, "method": method, "params": params}))
        while (message := self._received(ANSWER_TIMEOUT_S)).get("id") != self._orders:
            pass
        if message["type"] == "error":
            raise Refused(f"{method}: {message['error']}: {message['message']}")
        answer: dict[str, Any] = message["result"]
        return answer

    def attend(self, duration_s: float) -> None:
        """Take in events for a while."""
        end = time.monotonic() + duration_s
        while (left := end - time.monotonic()) > 0:
            try:
                self._received(left)
            except TimeoutError:
                return

    def _received(self, timeout_s: float) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._socket.recv(timeout=timeout_s))
        if message["type"] == "event":
            self._on_event(message["method"], message["params"])
        return message


class FirefoxViewing(AnyViewing):
    """A person at the page of one sound in Firefox; `complaints` is what the console said in earnest."""

    def __init__(self, socket: ClientConnection) -> None:
        self.complaints: list[str] = []
        self._page = ""  # until there is one
        self._waiting: set[str] = set()
        self._wire = Wire(socket, self._happened)
        self._wire.order("session.new", capabilities={})
        self._wire.order("session.subscribe", events=EVENTS)
        # The tab that is there at the start has no focus, and fields without it never tell that they have changed.
        self._page = self._wire.order("browsingContext.create", type="tab")["context"]
        self._order("browsingContext.setViewport", viewport={"width": 1440, "height": 900})

    def _order(self, method: str, **params: object) -> dict[str, Any]:
        return self._wire.order(method, context=self._page, **params)

    def _happened(self, event: str, params: dict[str, Any]) -> None:
        if event == "log.entryAdded":
            # Firefox also tells what it holds against its own windows.
            if params["level"] in {"error", "warn"} and params["source"].get("context") == self._page:
                self.complaints.append(params["text"])
        elif event == "network.beforeRequestSent":
            self._waiting.add(params["request"]["request"])
        else:
            self._waiting.discard(params["request"]["request"])

    def add_script(self, script: str) -> None:
        """Run a script in every page from now on, before its own."""
        self._wire.order("script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}")

    def add_cookie(self, name: str, value: str, url: str) -> None:
        cookie = {"name": name, "value": {"type": "string", "value": value}, "domain": urlsplit(url).hostname}
        self._wire.order("storage.setCookie", cookie=cookie)

    def visit(self, url: str) -> None:
        self._order("browsingContext.navigate", url=url, wait="complete")

    def evaluate(self, script: str, argument: object = None) -> Any:
        answer = self._wire.order(
            "script.callFunction",
            functionDeclaration=f"async (given) => JSON.stringify(await ({script})(JSON.parse(given))) ?? 'null'",
            arguments=[{"type": "string", "value": json.dumps(argument)}],
            target={"context": self._page},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise Refused(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def wait_for(self, selector: str, timeout_ms: int = 60_000) -> None:
        end = time.monotonic() + timeout_ms / 1000
        while not self.evaluate("(selector) => document.querySelector(selector) !== null", selector):
            if time.monotonic() > end:
                title = self.evaluate("() => document.title")
                raise TimeoutError(f"{selector} did not come to {title!r}; the console has {self.complaints}")
            self.pause(ROUND_MS)

    def pause(self, duration_ms: int) -> None:
        self._wire.attend(duration_ms / 1000)

    def is_fetching(self) -> bool:
        return bool(self._waiting)

    def click(self, selector: str) -> None:
        self._click(type="css", value=selector)

    def press(self, *keys: str) -> None:
        self.evaluate("() => document.querySelector('.viewer__stage').focus()")
        for key in keys:
            self._strike(key)

    def clear(self) -> None:
        self._click(type="accessibility", value={"role": "button", "name": "Clear"})

    def fill_in(self, label: str, text: str) -> None:
        self._click(type="accessibility", value={"role": "textbox", "name": label})
        self._strike("Control", "a")
        for letter in text:
            self._strike(letter)
        self._strike("Tab")

    def _click(self, **locator: object) -> None:
        found = self._order("browsingContext.locateNodes", locator=locator)["nodes"]
        if len(found) != 1:
            raise Refused(f"there are {len(found)} of {locator}")
        middle = {"x": 0, "y": 0, "origin": {"type": "element", "element": {"sharedId": found[0]["sharedId"]}}}
        steps = [{"type": "pointerMove", **middle}, *[{"type": f"pointer{way}", "button": 0} for way in ("Down", "Up")]]
        self._act("pointer", steps)

    def _strike(self, *keys: str) -> None:
        """Press keys one after the other and let them go in reverse order."""
        values = [KEYS.get(key, key) for key in keys]
        down = [{"type": "keyDown", "value": value} for value in values]
        self._act("key", [*down, *[{"type": "keyUp", "value": value} for value in reversed(values)]])

    def _act(self, device: str, steps: list[dict[str, Any]]) -> None:
        self._order("input.performActions", actions=[{"type": device, "id": device, "actions": steps}])


@contextmanager
def firefox(program: Path) -> Iterator[FirefoxViewing]:
    """A Firefox that knows nothing yet, gone at the end."""
    run = contextmanager(running)
    with (
        scratch_folder("sound") as beside,
        scratch_folder("firefox") as folder,
        run(PulseAudioServer(beside)) as sound,
        run(FirefoxServer(folder, program, sound)) as server,
        connect(f"ws://127.0.0.1:{server.port}/session", max_size=None, compression=None, proxy=None) as socket,
    ):
        yield FirefoxViewing(socket)
