"""Languages of the interface: their names, and which translations are drafts."""

from django.conf import settings
from django.utils.text import capfirst
from django.utils.translation import get_language, get_language_info, gettext, override


def is_draft(code: str) -> bool:
    return code in settings.DRAFT_LANGUAGES


def active_language() -> str:
    return get_language() or settings.LANGUAGE_CODE


def language_choices() -> list[tuple[str, str]]:
    """Every language under its name in the reader's language."""
    return [(code, _marked(code, gettext(get_language_info(code)["name"]))) for code, _name in settings.LANGUAGES]


def language_menu() -> list[tuple[str, str]]:
    """Every language under its own name, for readers who know no other."""
    menu = []
    for code, _name in settings.LANGUAGES:
        with override(code):
            menu.append((code, _marked(code, get_language_info(code)["name_local"])))
    return menu


def _marked(code: str, name: str) -> str:
    marked = gettext("%(language)s (draft)") % {"language": name} if is_draft(code) else name
    return capfirst(marked)
