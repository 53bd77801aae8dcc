"""Markdown of texts that experimenters write for participants, as HTML that can hold nothing else."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

register = template.Library()

# Everything that a text may hold. No HTML, no images (another server would learn who reads), no code.
RULES = ("heading", "list", "blockquote", "hr", "newline", "escape", "emphasis", "link", "autolink", "entity")
ADDRESSES = ("https://", "http://", "mailto:")
FIRST_HEADING = 3  # the pages have headings of the first two levels themselves


def _is_safe(address: str) -> bool:
    return address.lower().startswith(ADDRESSES)


def _link_open(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]
) -> str:
    """A link opens another tab: a test that was left by a click would have to be resumed."""
    tokens[index].attrSet("target", "_blank")
    tokens[index].attrSet("rel", "noopener noreferrer")
    return self.renderToken(tokens, index, options, env)


def _heading(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: dict[str, Any]) -> str:
    level = min(6, int(tokens[index].tag[1:]) + FIRST_HEADING - 1)
    tokens[index].tag = f"h{level}"
    return self.renderToken(tokens, index, options, env)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"breaks": True}).enable([*RULES, "balance_pairs", "fragments_join"])
    parser.validateLink = _is_safe  # type: ignore[assignment,method-assign]
    parser.add_render_rule("link_open", _link_open)
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("heading_close", _heading)
    return parser


_PARSER = _parser()


@register.filter
def markdown(text: str) -> SafeString:
    """HTML of a text; a single line break is one, as in the plain texts that people write."""
    return SafeString(_PARSER.render(text))
