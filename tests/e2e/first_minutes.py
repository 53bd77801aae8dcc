"""Walk from an invitation to the first trial: clicks, and the text of every screen on the way."""

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations

from playwright.sync_api import BrowserContext, Page

from tests.e2e.listener import PointerListener

# Kept by the tab across pages; a press counts once, whatever events follow from it.
COUNT_PRESSES = """addEventListener("pointerdown", () => {
  sessionStorage.presses = Number(sessionStorage.presses ?? 0) + 1;
}, true);"""
FIRST_PAGE = "#trial:visible, #workspace h1:visible"
EXAMPLE_OVER = "[data-part=seen]:visible, .thumbs__intro:visible ~ .thumbs__foot [data-act=next]"
LONGEST_PHRASE = 4  # words that two screens may share, such as the label of a button


@dataclass
class Walk:
    """Texts of the screens before the first trial by what they are for, and the clicks that lead there."""

    clicks: int = 0
    sound_check_clicks: int = 0
    reading: dict[str, str] = field(default_factory=dict)  # landing page and instructions
    sound_check: dict[str, str] = field(default_factory=dict)
    work: dict[str, str] = field(default_factory=dict)  # worked example and first trial

    @property
    def words(self) -> int:
        """On the landing page, with the consent, and in the instructions."""
        return sum(len(words_of(text)) for text in self.reading.values())

    @property
    def screens(self) -> int:
        """How many come before the first trial; the level is set on that of the instructions."""
        own_screens = self.sound_check.keys() - {"level"}
        return len(self.reading) + len(own_screens) + len(self.work) - 1

    @property
    def repeated(self) -> list[str]:
        """Sentences on two screens, or twice on one. The worked example and the first trial are one page, so they may
        share theirs, and the scales of two captions have the same words.
        """
        screens = {**self.reading, **self.sound_check, **self.work}
        sentences = {name: sentences_of(text) for name, text in screens.items()}
        once_more = [
            f"{name}, twice: {sentence}"
            for name in (*self.reading, *self.sound_check)
            for sentence, count in Counter(sentences[name]).items()
            if count > 1
        ]
        return once_more + [
            f"{first}, {second}: {sentence}"
            for first, second in combinations(screens, 2)
            if not {first, second} <= self.work.keys()
            for sentence in sorted({*sentences[first]} & {*sentences[second]})
        ]


def words_of(text: str) -> list[str]:
    return [word for word in text.split() if re.search(r"\w", word)]


def sentences_of(text: str) -> list[str]:
    """Sentences of five words or more, whatever their case and punctuation."""
    parts = re.split(r"[.!?:;]\s|\n", text + "\n")
    bare = [[re.sub(r"\W", "", word).lower() for word in words_of(part)] for part in parts]
    return [" ".join(words) for words in bare if len(words) > LONGEST_PHRASE]


class Newcomer(PointerListener):
    """Reads every screen, and does no more than is asked."""

    def __init__(self, context: BrowserContext) -> None:
        context.add_init_script(COUNT_PRESSES)
        super().__init__(context.new_page())
        self.walk = Walk()

    def arrive(self, link: str) -> Walk:
        self.page.goto(link)
        self.walk.reading["landing"] = _shown(self.page)
        self.join(link)
        self._set_up_counted()
        self.walk.reading["instructions"] = self.page.locator("#instructions").inner_text()
        self.page.locator("#start:enabled").click()
        self.page.locator(FIRST_PAGE).first.wait_for()
        self._do_first_page()
        self.walk.clicks = self._presses()
        return self.walk

    def set_level(self) -> None:
        self.walk.sound_check["level"] = self.page.locator("#setup").inner_text()
        self.page.locator("#level-play:enabled").click()

    def guess(self) -> None:
        """A second attempt, after guesses that were wrong, is not counted."""
        title, before = self.page.locator("#screening-title").inner_text(), self._presses()
        is_first = title not in self.walk.sound_check
        if is_first:
            self.walk.sound_check[title] = _shown(self.page)
        super().guess()
        if not is_first:
            self.page.evaluate("presses => { sessionStorage.presses = presses; }", before)

    def _set_up_counted(self) -> None:
        before = self._presses()
        self.set_up()
        self.page.locator("#start:enabled").wait_for()
        self.walk.sound_check_clicks = self._presses() - before

    def _do_first_page(self) -> None:
        page = self.page
        if page.locator("#trial").is_visible():
            page.locator("#play:enabled, #controls button:enabled").first.wait_for()
            self.walk.work["trial"] = _shown(page)
            page.locator("#play:enabled:visible, #controls button:enabled:visible").first.click()
            return
        if page.locator(EXAMPLE_OVER).count():
            self.walk.work["example"] = _shown(page)
            page.locator(EXAMPLE_OVER).first.click()
            page.locator(EXAMPLE_OVER).first.wait_for(state="hidden")
            page.locator(FIRST_PAGE).first.wait_for()
        self.walk.work["trial"] = _shown(page)

    def _presses(self) -> int:
        return int(self.page.evaluate("() => Number(sessionStorage.presses ?? 0)"))


def _shown(page: Page) -> str:
    return page.locator("main").inner_text()
