"""Help inside the application: every guide is a page, its links lead somewhere, every staff page has its own."""

import re
from html.parser import HTMLParser
from urllib.parse import urldefrag

import pytest
from django.urls import reverse

from core.help import GUIDES, help_address, pages, section_id
from tests.contracts.routes import TABLE
from tests.people import browser_of, experimenter

pytestmark = pytest.mark.django_db


class Seen(HTMLParser):
    """The links and the ids of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "href" and tag == "a" and value:
                self.links.append(value)
            if name == "id" and value:
                self.ids.add(value)


def test_every_link_from_the_index_on_leads_to_a_page_and_to_a_section_that_is_there() -> None:
    browser, seen, waiting = browser_of(experimenter()), {}, [reverse("core:help")]
    while waiting:
        address = waiting.pop()
        if address in seen:
            continue
        answer = browser.get(address)
        assert answer.status_code == 200, address
        seen[address] = Seen(answer.content.decode())
        waiting += [urldefrag(link)[0] for link in seen[address].links if link.startswith("/help/")]
    assert len(seen) == len(pages()) + 2  # the index and the list of addresses
    for address, page in seen.items():
        for link in page.links:
            target, section = urldefrag(link)
            if section and (not target or target in seen):
                assert section in seen[target or address].ids, f"{address}: {link}"


def test_the_guides_have_tables_code_and_no_markup_of_their_own() -> None:
    page = browser_of(experimenter()).get("/help/guides/uploading/").content.decode()
    assert '<div class="table-wrap"><table>' in page
    assert '<code class="language-sh">' in page
    assert 'href="/help/guides/importing/"' in pages()["guides/experimenter"].html
    assert not any(re.search(r"<(script|img|iframe)", found.html) for found in pages().values())


def test_what_is_no_guide_is_not_found() -> None:
    browser = browser_of(experimenter())
    assert browser.get("/help/../manage.py/").status_code == 404
    assert browser.get("/help/nothing/").status_code == 404


def test_every_page_of_the_staff_leads_to_a_section_that_is_there() -> None:
    for guide in filter(None, GUIDES.values()):
        name, _, section = guide.partition("#")
        assert not section or section in Seen(pages()[name].html).ids, guide
    assert {name for name in GUIDES if ":" in name} <= TABLE.keys()
    browser = browser_of(experimenter())
    for route in ("rating:experiments", "stimuli:collections", "listening:monitor_all", "core:account", "core:help"):
        assert help_address(route) in Seen(browser.get(reverse(route)).content.decode()).links, route


def test_an_id_is_that_of_other_readers_of_the_guides() -> None:
    assert section_id("A collection's own page") == "a-collections-own-page"
    assert section_id("By the API: `x` & y") == "by-the-api-x--y"


def test_the_addresses_of_the_api_are_shown_with_their_fields() -> None:
    page = browser_of(experimenter()).get("/help/api/reference/").content.decode()
    assert "experiments/{slug}/design/preview/" in page
    assert "target_lufs" in page
    assert "visits/" not in page
