"""Help inside the application: every guide is a page, its links lead somewhere, every staff page has its own."""

import re
from html.parser import HTMLParser
from urllib.parse import urldefrag

import pytest
from django.urls import reverse

from core.help import GUIDES, help_address, pages, section_id
from core.models import User
from tests.contracts.routes import TABLE
from tests.contracts.test_routes import EVERY_ROUTE
from tests.e2e.staff_pages import NO_PAGES, PUBLIC, listed_pages
from tests.factories import make_experiment, make_user
from tests.people import browser_of, experimenter

pytestmark = pytest.mark.django_db
WITHOUT_MENU = {"listening:trial_preview"}  # the page of a participant
MOST_OF_THEM = 40  # the others need more than an experiment, or lead on


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


def test_every_page_of_the_staff_has_a_guide_with_a_section_that_is_there() -> None:
    for guide in filter(None, GUIDES.values()):
        name, _, section = guide.partition("#")
        assert not section or section in Seen(pages()[name].html).ids, guide
    assert {name for name in GUIDES if ":" in name} <= TABLE.keys()
    own = {name for name in listed_pages() - PUBLIC - NO_PAGES.keys() if ":" in name}
    without = {name for name in own if help_address(name) == reverse("core:help")}
    assert without == {"core:help", "core:help_api", "core:help_page"}
    assert help_address("stimuli:storage") == help_address("core:service") == "/help/guides/admin/"


def test_every_page_of_the_staff_leads_to_its_guide() -> None:
    experiment = make_experiment(make_user(User.Role.ADMIN), live=False, seats=1)
    browser, known = browser_of(experiment.owner), {"guide": "guides/admin"}
    seen = set()
    for route in EVERY_ROUTE:
        if route.name not in listed_pages() - PUBLIC - NO_PAGES.keys() or route.arguments - {"slug", "guide"}:
            continue
        of = experiment.collection if route.name.startswith("stimuli:") else experiment
        values = known | {"slug": of.slug}
        answer = browser.get(reverse(route.name, kwargs={name: values[name] for name in route.arguments}))
        if answer.status_code == 200 and route.name not in WITHOUT_MENU:
            seen.add(route.name)
            assert help_address(route.name) in Seen(answer.content.decode()).links, route.name
    assert len(seen) > MOST_OF_THEM


def test_an_id_is_that_of_other_readers_of_the_guides() -> None:
    assert section_id("A collection's own page") == "a-collections-own-page"
    assert section_id("By the API: `x` & y") == "by-the-api-x--y"


def test_the_addresses_of_the_api_are_shown_with_their_fields() -> None:
    page = browser_of(experimenter()).get("/help/api/reference/").content.decode()
    assert "experiments/{slug}/design/preview/" in page
    assert "target_lufs" in page
    assert "visits/" not in page
