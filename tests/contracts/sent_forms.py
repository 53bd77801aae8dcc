"""Forms of a page as a browser would send them."""

from collections import defaultdict
from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class SentForm:
    """What one form sends as it stands, the names of its buttons, and the fields that are marked as wrong."""

    values: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    buttons: set[str] = field(default_factory=set)
    wrong: set[str] = field(default_factory=set)


def form_with_error(page: str, name: str) -> SentForm:
    """The form of the page in which the field of this name is marked as wrong."""
    reader = _Reader()
    reader.feed(page)
    return next(form for form in reader.forms.values() if name in form.wrong)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: dict[str, SentForm] = defaultdict(SentForm)
        self.form = ""
        self.open = ("", "")  # the form and the name of the select or textarea that is being read
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {key: value or "" for key, value in attrs}
        place, name = own.get("form", self.form), own.get("name", "")
        if tag == "form":
            self.form = own.get("id") or f"form {len(self.forms)}"
            self.forms[self.form]  # so that the next one has another number
        elif tag == "option":
            place, name = self.open
            if "selected" in own:
                self.forms[place].values[name].append(own["value"])
        elif tag == "button" and name:
            self.forms[place].buttons.add(name)
        elif tag in {"input", "select", "textarea"} and name:
            if own.get("aria-invalid") == "true":
                self.forms[place].wrong.add(name)
            self.open, self.text = (place, name), ""
            is_box = own.get("type") in {"checkbox", "radio"}
            if tag == "input" and (not is_box or "checked" in own):
                self.forms[place].values[name].append(own.get("value", "on" if is_box else ""))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.form = ""
        elif tag == "textarea":
            place, name = self.open
            self.forms[place].values[name].append(self.text.removeprefix("\n"))
