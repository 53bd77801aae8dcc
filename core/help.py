"""Help inside the application: the guides of docs/ as pages, and which of them belongs to which page of the staff."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

ADDRESSES = ("https://", "http://", "mailto:")

# The guide for a page of the staff, by the name of its route, else by its app.
GUIDES = {
    "stimuli": "guides/importing#a-collections-own-page",
    "stimuli:new_collection": "guides/uploading#in-the-browser",
    "stimuli:new_import": "guides/uploading#in-the-browser",
    "stimuli:replace_stimulus": "guides/uploading#in-the-browser",
    "stimuli:import": "guides/uploading#when-a-file-is-bad",
    "stimuli:normalise": "methods/loudness#changing-the-level",
    "stimuli:clips": "methods/loudness#checks-of-a-collection",
    "stimuli:compare": "guides/experimenter#looking-at-a-sound",
    "stimuli:sound": "guides/experimenter#looking-at-a-sound",
    "stimuli:clock": "guides/importing#the-clock-of-a-long-recording",
    "rating": "guides/experimenter",
    "rating:settings": "guides/experimenter#changing-an-experiment",
    "rating:options": "guides/experimenter#changing-an-experiment",
    "rating:delete": "guides/experimenter#changing-an-experiment",
    "rating:labels": "guides/experimenter#labels-of-the-scales",
    "listening": "guides/experimenter#people",
    "listening:design": "methods/design#the-report",
    "listening:checks": "guides/experimenter#attention-checks",
    "listening:extend": "guides/experimenter#changing-an-experiment",
    "listening:questions": "guides/experimenter#questions",
    "listening:new_question": "guides/experimenter#questions",
    "listening:question": "guides/experimenter#questions",
    "listening:from_file": "guides/experiment-file",
    "listening:from_elsewhere": "guides/experiment-file#coming-from-elsewhere",
    "listening:remove_seats": "guides/experimenter#changing-an-experiment",
    "listening:monitor": "guides/experimenter#following-an-experiment",
    "listening:monitor_alert": "guides/experimenter#following-an-experiment",
    "listening:monitor_all": "guides/experimenter#following-an-experiment",
    "analysis": "methods/mos",
    "analysis:results": "guides/last-vote-to-paper",
    "analysis:report": "guides/last-vote-to-paper",
    "analysis:table": "methods/any-table",
    "analysis:exclusions": "methods/exclusions",
    "analysis:plan": "methods/exclusions#analysis-plan",
    "analysis:metrics": "methods/metrics",
    "analysis:plan_study": "methods/planning",
    "core": "",
    "core:account": "api",
    "core:service": "guides/admin",
    "core:jobs": "guides/admin",
    "core:backups": "guides/admin",
    "core:audit": "guides/admin",
    "core:people": "guides/admin",
    "core:new_password_link": "guides/admin",
    "stimuli:storage": "guides/admin",
}


@dataclass(frozen=True)
class HelpPage:
    """A guide: its name in the address, its title, its file, and its HTML."""

    name: str
    title: str
    file: str
    html: SafeString


def help_address(view_name: str) -> str:
    """Where the link Help of a page leads."""
    guide = GUIDES.get(view_name, GUIDES.get(view_name.partition(":")[0], ""))
    name, _, section = guide.partition("#")
    page = reverse("core:help_page", args=[name]) if name else reverse("core:help")
    return f"{page}#{section}" if section else page


@cache
def pages() -> dict[str, HelpPage]:
    """Every guide by its name; the files stay as long as the process."""
    files = dict(_files())
    names = {file: name for name, file in files.items()}
    return {name: _page(name, file, names) for name, file in files.items()}


def _files() -> Iterator[tuple[str, str]]:
    """Name and file of every guide, the file from the project's folder on."""
    root = Path(settings.BASE_DIR)
    for path in sorted((root / "docs").rglob("*.md")):
        file = path.relative_to(root).as_posix()
        yield file.removeprefix("docs/").removesuffix(".md").replace("README", "index"), file
    for path in sorted((root / "protocols").glob("*/docs.md")):
        yield f"protocols/{path.parent.name}", path.relative_to(root).as_posix()
    if (root / "client/README.md").is_file():
        yield "client", "client/README.md"


def _page(name: str, file: str, names: dict[str, str]) -> HelpPage:
    text = (Path(settings.BASE_DIR) / file).read_text(encoding="utf-8")
    title = next((line.removeprefix("# ") for line in text.splitlines() if line.startswith("# ")), name)
    html = _PARSER.render(text, {"file": file, "names": names})
    return HelpPage(name, title.replace("`", ""), file, SafeString(html))


# --- Markdown of the guides: tables and code, headings that can be linked to, links between pages ---------------------


def section_id(text: str) -> str:
    """The id of a heading, made as on the pages where the guides are read otherwise: `A vote's way` is a-votes-way."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def _heading_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    words = "".join(part.content for part in tokens[index + 1].children or ())
    tokens[index].attrSet("id", section_id(words))
    return self.renderToken(tokens, index, options, env)


def _link_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """A link to another guide leads to its page; one to a file that is no guide is no link here."""
    target = str(tokens[index].attrGet("href") or "")
    if target.startswith(ADDRESSES):
        tokens[index].attrSet("rel", "noopener noreferrer")
    elif not target.startswith("#"):
        path, _, section = target.partition("#")
        name = env["names"].get(posixpath.normpath(posixpath.join(posixpath.dirname(env["file"]), path)))
        if name is None:
            tokens[index].attrs.pop("href")
        else:
            address = reverse("core:help_page", args=[name])
            tokens[index].attrSet("href", f"{address}#{section}" if section else address)
    return self.renderToken(tokens, index, options, env)


def _table_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    return '<div class="table-wrap"><table>'


def _table_close(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    return "</table></div>"


def _parser() -> MarkdownIt:
    """HTML in a guide stays text, as in the texts that experimenters write; images are not shown."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    for name, rule in (
        ("heading_open", _heading_open),
        ("link_open", _link_open),
        ("table_open", _table_open),
        ("table_close", _table_close),
    ):
        parser.add_render_rule(name, rule)
    return parser


_PARSER = _parser()
