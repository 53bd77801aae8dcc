"""Markdown of participants' texts: what it may hold, and that nothing else comes out."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.templatetags.markdown import markdown

TAGS = {"p", "br", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "em", "strong", "a"}


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("You **agree** to *listen*.", "<p>You <strong>agree</strong> to <em>listen</em>.</p>"),
        ("one\ntwo\n\nthree", "<p>one<br>\ntwo</p>\n<p>three</p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("# Part\n## Sub", "<h3>Part</h3>\n<h4>Sub</h4>"),
        (
            "[ethics](https://example.org)",
            '<p><a href="https://example.org" target="_blank" rel="noopener noreferrer">ethics</a></p>',
        ),
        ("", ""),
    ],
)
def test_the_usual_marks_become_html(text: str, html: str) -> None:
    assert markdown(text).strip() == html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![picture](https://example.org/who-reads-this.png)",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<b>)",
        "<javascript:alert(1)>",
        "[x](/relative)",
        "&lt;script&gt;",
        '[x](https://example.org/"onclick="alert(1))',
    ],
)
def test_no_html_script_or_picture_of_the_text_comes_out(text: str) -> None:
    check_safe(markdown(text))


@given(st.text(alphabet="<>\"'=/:&;()[]!*_#-`~ \n\tajsonclickhref", max_size=80))
def test_only_known_tags_and_addresses_come_out_of_any_text(text: str) -> None:
    check_safe(markdown(text))


def check_safe(html: str) -> None:
    for tag, attributes in re.findall(r"</?([a-zA-Z0-9]+)([^>]*)>", html):
        assert tag in TAGS
        names = re.findall(r'([\w-]+)="', re.sub(r'"[^"]*"', '""', attributes))
        assert set(names) <= ({"href", "title", "target", "rel"} if tag == "a" else {"start"})
    assert "<" not in re.sub(r"</?[a-zA-Z0-9]+[^<>]*>", "", html)
    for address in re.findall(r'href="([^"]*)"', html):
        assert address.lower().startswith(("https://", "http://", "mailto:"))
