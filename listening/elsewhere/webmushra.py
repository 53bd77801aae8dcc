"""webMUSHRA configurations: pages become experiments of the protocols that ask the same; all else is listed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

from core.i18n import LazyMessage
from listening.elsewhere.base import (
    REFERENCE,
    Converted,
    FoundSound,
    Part,
    Placed,
    Sounds,
    known_options,
    sound_missing,
    unreadable,
)
from listening.elsewhere.webmushra_questions import take_questions
from listening.experiment_file.yaml_text import load_yaml
from rating.protocol import PageHolds, Protocol, ScaleProtocol
from rating.questions import Place

NAME = "webMUSHRA"
RANDOM = "random"
REFERENCE_NAME = "reference"
LIKERT = "likert_single_stimulus"
COMPARED = ("paired_comparison", "mushra", "bs1116")
TEXT_PAGES = {"generic": "instructions", "consent": "consent", "finish": "debrief"}
# Keys of a page that say how it looks or works there; what Earmark does instead, where it differs.
ALWAYS = {"type", "id", "name", "content", "stimuli", "reference", "response", "strict"}
HOW_PAGES_WORK = {
    "showWaveform": LazyMessage("this protocol shows no waveform"),
    "enableLooping": LazyMessage("listeners cannot set loops of their own"),
    "showConditionNames": LazyMessage("participants never see the names of conditions"),
    "createAnchor35": LazyMessage("anchors are not generated; import them as sounds of their own"),
    "createAnchor70": LazyMessage("anchors are not generated; import them as sounds of their own"),
    "unforced": LazyMessage("there is no third answer; the choice is forced"),
    "showResults": LazyMessage("participants do not see their answers as results"),
    "popupContent": LazyMessage("there is no second text after the end"),
    "defaultVolume": LazyMessage("listeners set the level themselves"),
}
HOW_TESTS_WORK = {
    "bufferSize": LazyMessage("sound is played without a buffer to set"),
    "remoteService": LazyMessage("answers are kept on this server"),
    "showButtonPreviousPage": LazyMessage("the previous answer can be changed, earlier ones cannot"),
    "stopOnErrors": LazyMessage("files are checked when they are imported"),
}
# What is done here in any case.
MATCHED = {"mustRate": True, "mustPlayback": "ended", "randomize": True, "writeResults": True, "showErrors": True}


def is_webmushra(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("pages"), list)


def read_webmushra(
    content: bytes, *, name: str, sounds: Sounds, protocols: Sequence[Protocol], languages: Sequence[str]
) -> Converted:
    """Read a configuration. Nothing is guessed: a page that no protocol asks in the same way is not carried over."""
    config = load_yaml(content)
    if not is_webmushra(config):
        raise unreadable(name, LazyMessage("it has no list `pages`, so it is no configuration of webMUSHRA"))
    reader = _Reader(sounds, protocols)
    found = reader.converted
    found.title = str(config.get("testname") or config.get("testId") or name)
    for key, value in config.items():
        if key in HOW_TESTS_WORK and value:
            found.drop(str(key), HOW_TESTS_WORK[key])
        elif key == "language" and value in languages:
            found.language = str(value)
        elif key not in {"testname", "testId", "pages", *HOW_TESTS_WORK}:
            found.drop(str(key), LazyMessage("Earmark has nothing like it"))
    for path, page in _pages(config["pages"], "pages", found):
        reader.take(path, page)
    found.session["level_check"] = reader.has_volume
    return found


def _pages(pages: Sequence[Any], path: str, found: Converted) -> Iterator[tuple[str, Any]]:
    """Every page with its place; groups are opened, because the order is drawn for each listener here."""
    for number, page in enumerate(pages, start=1):
        here = f"{path}[{number}]"
        if isinstance(page, list):
            if not page or page[0] != RANDOM:
                found.change(here, LazyMessage("the order of pages is drawn for every listener"))
            yield from _pages([one for one in page if one != RANDOM], here, found)
        else:
            yield here, page


class _Reader:
    """Pages in their order, taken in one by one."""

    def __init__(self, sounds: Sounds, protocols: Sequence[Protocol]) -> None:
        self.converted = Converted(NAME)
        self.has_volume = False
        self._sounds, self._protocols = sounds, protocols

    def take(self, path: str, page: Any) -> None:
        if not isinstance(page, Mapping):
            self.converted.drop(path, LazyMessage("it is no page"))
            return
        kind = str(page.get("type", ""))
        where = f"{path} ({kind}, {page.get('id') or page.get('name') or '-'})"
        if kind not in {LIKERT, *COMPARED}:
            place = Place.AFTER if kind == "finish" or self.converted.parts else Place.BEFORE
            take_questions(page.get("questionnaire"), place, self.converted, where)
        if kind in TEXT_PAGES:
            self._take_text(where, kind, page)
        elif kind == "volume":
            self.has_volume = True
            self._tell_keys(where, page)
            self.converted.change(where, LazyMessage("the level is set in Earmark's own sound check"))
        elif kind == LIKERT:
            self._take_likert(where, page)
        elif kind in COMPARED:
            self._take_compared(where, kind, page)
        else:
            self.converted.drop(where, LazyMessage("Earmark has no protocol for pages of this type"))

    def _take_text(self, where: str, kind: str, page: Mapping[str, Any]) -> None:
        text, name = markdown_of(str(page.get("content") or "")), TEXT_PAGES[kind]
        self._tell_keys(where, page)
        if kind == "generic" and self.converted.parts and text:
            self.converted.drop(where, LazyMessage("instructions are shown once, before the first page"))
        elif text:
            before = self.converted.texts.get(name, "")
            self.converted.texts[name] = f"{before}\n\n{text}" if before else text

    def _take_likert(self, where: str, page: Mapping[str, Any]) -> None:
        labels = [str(point.get("label", "")) for point in page.get("response") or [] if isinstance(point, Mapping)]
        protocol, label_set = _with_words(self._protocols, labels)
        if protocol is None:
            self.converted.drop(
                where, LazyMessage("Earmark has no scale with the words {labels}", labels=", ".join(labels) or "-")
            )
            return
        part = self._part(protocol, label_set, known_options(protocol, {"practice": 0}))
        item, heard = part.item_called(_item(page)), self._stimuli(where, page)
        part.placed += [Placed(sound, item, condition) for condition, sound in heard.items()]
        self._tell_keys(where, page)

    def _take_compared(self, where: str, kind: str, page: Mapping[str, Any]) -> None:
        protocol = next((one for one in self._protocols if kind in one.webmushra_pages), None)
        if protocol is None:
            self.converted.drop(where, LazyMessage("Earmark has no protocol for pages of this type"))
            return
        reference = self._sounds.find(str(page.get("reference")))
        heard = self._stimuli(where, page) if reference else {}
        if reference is None:
            self.converted.drop(where, sound_missing(str(page.get("reference"))))
        if reference is None or not heard:
            return
        options = known_options(protocol, {"practice": 0, "repetitions": 1, "loop": bool(page.get("enableLooping"))})
        part = self._part(protocol, protocol.label_sets[0].id, options)
        item = part.item_called(_item(page))
        part.placed.append(Placed(reference, item, REFERENCE_NAME, REFERENCE))
        part.placed += [Placed(sound, item, condition) for condition, sound in heard.items()]
        self._tell_keys(where, page)
        self.converted.change(where, protocol.webmushra_pages[kind])

    def _part(self, protocol: Protocol, label_set: str, options: dict[str, Any]) -> Part:
        """The experiment of pages that this protocol asks with these words."""
        for part in self.converted.parts:
            if part.protocol is protocol and part.label_set == label_set:
                return part
        self.converted.parts.append(Part(protocol, label_set, options))
        return self.converted.parts[-1]

    def _stimuli(self, where: str, page: Mapping[str, Any]) -> dict[str, FoundSound]:
        stimuli = page.get("stimuli")
        heard = {}
        for condition, path in stimuli.items() if isinstance(stimuli, Mapping) else ():
            sound = self._sounds.find(str(path))
            if str(condition).casefold() == REFERENCE_NAME:
                self.converted.drop(where, LazyMessage("a condition cannot be called 'reference'; rename it"))
            elif sound is None:
                self.converted.drop(where, sound_missing(str(path)))
            else:
                heard[str(condition)] = sound
        return heard

    def _tell_keys(self, where: str, page: Mapping[str, Any]) -> None:
        """List what the page asked for and does not get."""
        for key, value in page.items():
            if key in ALWAYS or key == "questionnaire" or value in (None, "", False):
                continue
            if key in MATCHED and value == MATCHED[key]:
                continue
            why = HOW_PAGES_WORK.get(str(key), LazyMessage("Earmark has nothing like it"))
            self.converted.drop(where, LazyMessage("`{key}`: {why}", key=str(key), why=why))


def _item(page: Mapping[str, Any]) -> str:
    return str(page.get("id") or page.get("name") or "page")[:180]


def _with_words(protocols: Sequence[Protocol], labels: Sequence[str]) -> tuple[Protocol | None, str]:
    """The protocol of single clips whose one scale has exactly these words, and its label set."""
    wanted = sorted(label.strip().casefold() for label in labels)
    for protocol in protocols:
        if not (isinstance(protocol, ScaleProtocol) and protocol.page_holds is PageHolds.STIMULUS):
            continue
        for labels_here in protocol.label_sets:
            scales = list(labels_here.scales.values())
            if len(scales) == 1 and sorted(word.casefold() for _value, word in scales[0].anchors) == wanted:
                return protocol, labels_here.id
    return None, ""


# --- HTML -------------------------------------------------------------------------------------------------------------


BLOCKS = {"p", "div", "h1", "h2", "h3", "h4", "ul", "ol", "tr", "table"}
MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*"}
UNREAD = {"script", "style"}
SPACES = re.compile(r"\s+")


class _Markdown(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNREAD:
            self._unread += 1
        elif tag in BLOCKS:
            self.written.append("\n\n")
        elif tag in {"br", "li"}:
            self.written.append("\n" if tag == "br" else "\n- ")
        self.written.append(MARKS.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in UNREAD:
            self._unread -= 1
        self.written.append("\n\n" if tag in BLOCKS else MARKS.get(tag, ""))

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.written.append(SPACES.sub(" ", data))


def markdown_of(html: str) -> str:
    """The words of a piece of HTML as Markdown: paragraphs, lists, bold and italic; nothing else of it."""
    parser = _Markdown()
    parser.feed(html)
    parser.close()
    lines = [line.strip() for line in "".join(parser.written).split("\n")]
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    return "\n".join(kept).strip()
