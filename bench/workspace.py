"""A rater at the workspace of the plane, in Chromium behind a slow link: when things sound, and what is fetched."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, StorageState, ViewportSize

from tests.e2e.listener import PointerListener
from tests.e2e.viewing import Viewing

LINK_MBITS, SLOW_MBITS, LATENCY_MS = 10, 1.5, 40
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}

# Notes when things were touched, heard and painted, on the page's own clock, and changes nothing of what the page does.
EYE = """
globalThis.eye = { strips: new Map(), pressed_ms: null, touched_ms: 0, sound_ms: null, ear: null, frames: null };
(() => {
  const { start } = AudioBufferSourceNode.prototype;
  AudioBufferSourceNode.prototype.start = function (when, ...rest) {
    const { currentTime, outputLatency, baseLatency } = this.context;
    eye.sound_ms ??= performance.now() + (when - currentTime + (outputLatency || baseLatency || 0)) * 1000;
    eye.ear ??= new AnalyserNode(this.context);
    if (eye.ear.context === this.context) this.connect(eye.ear);
    return start.call(this, when, ...rest);
  };
  const { drawImage } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.drawImage = function (...rest) {
    const tile = rest[5]; // where it stands from the left; what is drawn now is seen when the next frame begins
    if (!eye.strips.has(tile) && this.canvas.matches(".full .viewer__strip"))
      eye.strips.set(tile, requestAnimationFrame((now) => eye.strips.set(tile, now)));
    return drawImage.apply(this, rest);
  };
  // Only a sound that was begun after the last touch is an answer to it.
  const touched = ({ timeStamp, target }) => {
    Object.assign(eye, { touched_ms: timeStamp, sound_ms: null });
    if (target.closest?.("#start, #rest-ready")) eye.pressed_ms = timeStamp;
  };
  for (const type of ["keydown", "pointerup"]) addEventListener(type, touched, { capture: true });
  const frame = (now) => {
    eye.frames?.push(now);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})();
"""
HEARS = """() => {
  const heard = new Float32Array(2048);
  eye.ear?.getFloatTimeDomainData(heard);
  return heard.some((value) => value !== 0);
}"""
OPENED = """() => ({
  strip_ms: Math.max(...eye.strips.values()),
  sound_ms: eye.sound_ms,
  pressed_ms: eye.pressed_ms,
})"""


@dataclass(frozen=True)
class Seated:
    """Browsers on the running platform, and what a rater's browser knows who has consented and seen the example."""

    browser: Browser
    address: str
    rater: StorageState

    @contextmanager
    def device(self) -> Iterator[BrowserContext]:
        """A browser that has fetched nothing yet."""
        context = self.browser.new_context(viewport=VIEWPORT, storage_state=self.rater)
        context.add_init_script(EYE)
        yield context
        context.close()


class Line:
    """The slow link of one page, and what has come over it by kind."""

    def __init__(self, page: Page, mbits: float) -> None:
        self._session: CDPSession = page.context.new_cdp_session(page)
        self._kinds: dict[str, str] = {}
        self.bytes: dict[str, float] = {"sound": 0, "pictures": 0, "page": 0}
        self._session.on("Network.requestWillBeSent", self._asked)
        self._session.on("Network.loadingFinished", self._came)
        self._session.send("Network.enable")
        bytes_a_second = mbits * 1e6 / 8
        limits = {"downloadThroughput": bytes_a_second, "uploadThroughput": bytes_a_second, "latency": LATENCY_MS}
        self._session.send("Network.emulateNetworkConditions", {"offline": False, **limits})

    def _asked(self, event: dict[str, Any]) -> None:
        url = event["request"]["url"]
        kind = "sound" if "/slice/" in url else "pictures" if "/tiles/" in url or "/peaks/" in url else "page"
        self._kinds[event["requestId"]] = kind

    def _came(self, event: dict[str, Any]) -> None:
        self.bytes[self._kinds.get(event["requestId"], "page")] += event["encodedDataLength"]


class Work:
    """What the threads of pages do, task by task, in CPU: unlike a frame, it is the same on a busy machine."""

    def __init__(self, browser: Browser) -> None:
        self._session = browser.new_browser_cdp_session()
        self._events: list[dict[str, Any]] = []
        self._over = False
        self._session.on("Tracing.dataCollected", lambda told: self._events.extend(told["value"]))
        self._session.on("Tracing.tracingComplete", self._end)
        wanted = {"includedCategories": ["toplevel"], "excludedCategories": ["*"]}
        self._session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": wanted})

    def _end(self, _: object) -> None:
        self._over = True

    def tasks_ms(self, page: Page) -> list[float]:
        """End the record; the page is only asked to wait meanwhile."""
        self._session.send("Tracing.end")
        while not self._over:
            page.wait_for_timeout(100)
        names = [event for event in self._events if event["name"] == "thread_name"]
        mains = {(one["pid"], one["tid"]) for one in names if one["args"]["name"] == "CrRendererMain"}
        tasks = [event for event in self._events if event["name"].endswith("RunTask") and "tdur" in event]
        return [task["tdur"] / 1000 for task in tasks if (task["pid"], task["tid"]) in mains]


class Workspace(Viewing):
    """A rater at the page of the day."""

    def __init__(self, page: Page, address: str, mbits: float = LINK_MBITS) -> None:
        super().__init__(page)
        self.line = Line(page, mbits)
        self._address = address

    def begin(self) -> None:
        """Go to the page and press what opens the day, as soon as it can be pressed: Start, or the end of a break."""
        self.page.goto(self._address)
        self.page.locator("#start:enabled").click()
        ready = self.page.locator("#rest-ready")
        self.page.locator("[data-part=workspace]").or_(ready).locator("visible=true").first.wait_for()
        if ready.is_visible():
            ready.click()

    def first_probe(self) -> dict[str, float]:
        """Press the key of the first probe as soon as it is there, and tell when the strip and the sound were."""
        self.page.locator(".full .viewer[data-ready]").wait_for()
        self.page.keyboard.press("r")
        self.page.wait_for_function(HEARS)
        self.settle()
        return dict(self.page.evaluate(OPENED))

    def first_summary(self, number: int) -> float:
        """Press a summary as soon as it can be pressed, and tell how many milliseconds later it is heard."""
        self.page.locator("[data-part=tokens] .token").nth(number - 1).click()
        self.page.wait_for_function(HEARS)
        took_ms: float = self.page.evaluate("() => eye.sound_ms - eye.touched_ms")
        return took_ms

    def all_ready(self) -> None:
        self.page.locator("[data-part=ready][data-state=done]").wait_for(timeout=120_000)

    def button(self, part: str) -> None:
        """By its part and not by its name, which would have to be looked for in all buttons as work of the page."""
        self.page.locator(f"[data-part={part}]").click()

    def box(self, selector: str) -> tuple[float, float, float]:
        """Left edge, width, and a height inside, in pixels of the page."""
        box = self.page.locator(selector).bounding_box()
        if box is None:
            raise RuntimeError(f"{selector} is not on the screen: there is nothing to measure")
        return box["x"], box["width"], box["y"] + box["height"] / 2


def sit_down(browser: Browser, link: str) -> Seated:
    """Consent, look at the example, and come to the day; what the browser knows then is given to all that follow."""
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    rater = PointerListener(page)
    rater.join(link)
    rater.start()
    page.locator("[data-part=seen]").click()
    page.locator("[data-part=workspace][data-kind=rating]").wait_for()
    seated = Seated(browser, page.url, context.storage_state())
    context.close()
    return seated
