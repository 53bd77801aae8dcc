"""A listener's hands: the same test taken with the pointer alone, by touch alone or with the keyboard alone."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

PLACE = "() => [...document.querySelectorAll('#where, #part')].map((place) => place.textContent).join(', ')"
# What a browser has fetched it can play without a network.
CLIPS_FETCHED = """count => new Set(performance.getEntriesByType("resource").map(({ name }) => name)
  .filter((name) => name.includes("/media/"))).size >= count"""
MOVED_ON = """was => location.pathname.endsWith('/receipt/')
  || [...document.querySelectorAll('#where, #part')].map((place) => place.textContent).join(', ') !== was
  || document.querySelector('#rest')?.hidden === false
  || document.querySelector('#checking')?.hidden === false"""
HEARD = "#gate:not([disabled])"  # the scale opens at the true end of playback
NEXT = "#next:not([aria-disabled=true])"
READY = "#play:enabled:visible, #controls button:enabled:visible"  # the sounds of the page are here
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class PointerListener:
    """Clicks, and never touches a key."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def hit(self, target: Locator, **options: Any) -> None:
        target.click(**options)

    def act(self, target: Locator, *keys: str, **options: Any) -> None:
        """Press what is shown; who has no pointer presses these keys instead."""
        self.hit(target, **options)

    def push(self, selector: str) -> None:
        """Press a button that has no key of its own."""
        self.hit(self.page.locator(selector))

    def join(self, link: str) -> None:
        self.page.goto(link)
        self.push("button.button--primary")

    def set_up(self) -> None:
        """Go through the sound check, if there is one; nobody here has ears, so what is answered there is a guess."""
        for check in range(1, 6):
            self.page.locator(f"#setup[data-check='{check}']:visible, #start:enabled:visible").first.wait_for()
            if self.page.locator("[data-setup=level]").is_visible():
                self.set_level()
            if self.page.locator("#start").is_visible():
                return
            if self.page.locator("[data-setup=screening]").is_visible():
                self.guess()

    def set_level(self) -> None:
        """Where the instructions stand below, their Start confirms the level too."""
        self.page.locator("#level-play:enabled").click()
        self.page.locator("#level-fine > summary").click()
        self.page.locator("#level-raise").click()
        if self.page.locator("#level-end").is_visible():
            self.page.locator("#level-lock:enabled").click()

    def guess(self) -> None:
        """Answer every round of a screening with its first choice."""
        round_ = self.page.locator("#screening-round")
        self.page.locator("#screening-play:enabled").click()
        rounds = int(round_.inner_text().split(" of ")[1])
        for number in range(1, rounds + 1):
            expect(round_).to_have_text(f"{number} of {rounds}")
            self.page.locator("#screening-choices button:not([aria-disabled=true])").first.click()

    def start(self) -> None:
        self.set_up()
        self.push("#start:enabled")

    def play(self) -> None:
        self.hit(self.page.locator("#play:enabled"))

    def choose(self, value: int) -> None:
        self.hit(self.page.locator(f"label.scale__choice:has(.scale__value:text-is('{value}'))"))

    def go_on(self) -> None:
        self.hit(self.page.locator(NEXT))

    def open_previous(self) -> None:
        """Open the answer before again, once the next clip is ready."""
        self.page.locator(READY).first.wait_for()
        self.act(self.page.locator("#previous"), "Backspace")
        self.page.wait_for_selector(HEARD)

    def press_locked_scale(self) -> None:
        # Its controls take no press while it is closed; the place around them does.
        self.hit(self.page.locator("#view"))

    def press_next_too_early(self) -> None:
        self.hit(self.page.locator("#next[aria-disabled=true]"), force=True)

    def rate(self, value: int) -> None:
        """Hear one clip to its end and answer it."""
        position = self.position()
        self.play()
        self.page.wait_for_selector(HEARD)
        self.choose(value)
        self.go_on()
        self.page.wait_for_function(MOVED_ON, arg=position)

    def position(self) -> str:
        self.page.locator("#where").wait_for()
        place: str = self.page.evaluate(PLACE)
        return place

    def end_break(self) -> None:
        self.page.locator("#rest-ready").click()

    def code(self) -> str:
        shown = self.page.locator("#completion-code")
        expect(shown).to_be_visible()
        return shown.inner_text()


class TouchListener(PointerListener):
    """Taps on a phone, where there is neither pointer nor keyboard."""

    def hit(self, target: Locator, **options: Any) -> None:
        target.tap(**options)


class KeyboardListener(PointerListener):
    """Types, and never touches the pointer: every press goes to whatever has the focus."""

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def tab_to(self, selector: str) -> None:
        """Walk with Tab until the element has the focus, as a person without a mouse does."""
        for _ in range(60):
            if self.page.evaluate("selector => document.activeElement?.matches(selector)", selector):
                return
            self.press("Tab")
        raise AssertionError(f"{selector} cannot be reached with Tab")

    def act(self, target: Locator, *keys: str, **options: Any) -> None:
        for key in keys:
            self.press(key)

    def push(self, selector: str) -> None:
        self.page.locator(selector).wait_for()
        self.tab_to(selector)
        self.press("Enter")

    def set_level(self) -> None:
        self.page.locator("#level-play:enabled:focus").wait_for()
        self.press("Space")
        self.page.locator("#level-play[data-sounding]").wait_for()
        self.tab_to("#level-fine > summary")
        self.press("Enter")
        self.press("Shift+ArrowRight")
        if self.page.locator("#level-end").is_visible():
            self.push("#level-lock:enabled")

    def guess(self) -> None:
        round_ = self.page.locator("#screening-round")
        self.page.locator("#screening-play:enabled").wait_for()
        self.press("Space")
        rounds = int(round_.inner_text().split(" of ")[1])
        for number in range(1, rounds + 1):
            expect(round_).to_have_text(f"{number} of {rounds}")
            choice = self.page.locator("#screening-choices button:not([aria-disabled=true])").first
            choice.wait_for()
            self.press("l" if choice.get_attribute("data-choice") == "left" else "Digit1")

    def play(self) -> None:
        self.page.locator("#play:enabled").wait_for()
        self.press("Space")

    def choose(self, value: int) -> None:
        self.press(f"Digit{value}")

    def go_on(self) -> None:
        self.page.locator(NEXT).wait_for()
        self.press("Enter")

    def press_locked_scale(self) -> None:
        self.press("Digit3")

    def press_next_too_early(self) -> None:
        self.tab_to("#next[aria-disabled=true]")
        self.press("Enter")
        self.tab_to("#play:enabled, #view input")  # back, so that Space does not press Next again

    def end_break(self) -> None:
        self.page.locator("#rest").wait_for()
        self.press("Enter")
