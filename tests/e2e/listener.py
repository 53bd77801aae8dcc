"""A listener's hands: the same test taken with the pointer alone or with the keyboard alone."""

from playwright.sync_api import Page, expect

MOVED_ON = """was => location.pathname.endsWith('/receipt/')
  || document.querySelector('#where')?.textContent !== was
  || document.querySelector('#checking')?.hidden === false"""
HEARD = "#gate:not([disabled])"  # the scale opens at the true end of playback


class PointerListener:
    """Clicks, and never touches a key."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def join(self, link: str) -> None:
        self.page.goto(link)
        self.page.get_by_role("checkbox").check()
        self.page.get_by_role("button", name="Agree and begin").click()

    def start(self) -> None:
        self.page.locator("#start:enabled").click()

    def play(self) -> None:
        self.page.locator("#play:enabled").click()

    def choose(self, value: int) -> None:
        self.page.locator(f"label.scale__choice:has(input[value='{value}'])").click()

    def go_on(self) -> None:
        self.page.locator("#next:enabled").click()

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
        return self.page.locator("#where").inner_text()

    def code(self) -> str:
        shown = self.page.locator("#completion-code")
        expect(shown).to_be_visible()
        return shown.inner_text()


class KeyboardListener(PointerListener):
    """Types, and never touches the pointer: every press goes to whatever has the focus."""

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def tab_to(self, selector: str) -> None:
        """Walk with Tab until the element has the focus, as somebody without a mouse does."""
        for _ in range(60):
            if self.page.evaluate("selector => document.activeElement?.matches(selector)", selector):
                return
            self.press("Tab")
        raise AssertionError(f"{selector} cannot be reached with Tab")

    def join(self, link: str) -> None:
        self.page.goto(link)
        self.tab_to("input[name=agree]")
        self.press("Space")
        self.tab_to("button.button--primary")
        self.press("Enter")

    def start(self) -> None:
        self.page.locator("#start:enabled").wait_for()
        self.tab_to("#start")
        self.press("Enter")

    def play(self) -> None:
        self.page.locator("#play:enabled").wait_for()
        self.press("Space")

    def choose(self, value: int) -> None:
        self.press(f"Digit{value}")

    def go_on(self) -> None:
        self.page.locator("#next:enabled").wait_for()
        self.press("Enter")
