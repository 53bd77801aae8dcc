"""The translation catalogues hold every text of the interface, translated, with its placeholders."""

import re

import pytest
from babel.messages.catalog import Catalog
from django.conf import settings

from core.catalogue import extract_messages, follow, load_catalogue, texts, untranslated

TRANSLATED = [language for language, _ in settings.LANGUAGES if language != settings.LANGUAGE_CODE]
PLACEHOLDER = re.compile(r"%\(\w+\)s|%%|\{\w*\}|</?\w+[^>]*>")


def forms(text: str | tuple[str, ...] | list[str] | None) -> list[str]:
    return [text] if isinstance(text, str) else list(text or ())


def keys(catalogue: Catalog) -> set[tuple[str, str | None]]:
    return {(forms(message.id)[0], message.context) for message in texts(catalogue)}


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_catalogue_holds_exactly_the_texts_of_the_interface(language: str) -> None:
    known, wanted = keys(load_catalogue(language)), keys(extract_messages())
    assert not wanted - known, "run ./earmark manage update_catalogue and translate what it lists"
    assert not known - wanted, "run ./earmark manage update_catalogue, which drops what is gone"


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_text_is_translated(language: str) -> None:
    assert untranslated(load_catalogue(language)) == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_keeps_the_placeholders_and_tags(language: str) -> None:
    for message in texts(load_catalogue(language)):
        wanted = [sorted(PLACEHOLDER.findall(form)) for form in forms(message.id)]
        for form in forms(message.string):
            assert sorted(PLACEHOLDER.findall(form)) in wanted, message.id


def test_the_extraction_sees_code_errors_and_templates() -> None:
    found = {text for text, _ in keys(extract_messages())}
    assert "French" in found  # config/settings.py
    assert "Sign in first, or send an API token." in found  # the message of an error
    assert "it is empty" in found  # a LazyMessage
    assert "Sign in" in found  # a template


def test_a_text_without_a_sure_translation_is_noticed() -> None:
    catalogue = Catalog(locale="fr")
    catalogue.add("done", "fait")
    catalogue.add("new")
    catalogue.add("unsure", "incertain", flags=["fuzzy"])
    catalogue.add(("one", "many"), ("un", ""))
    assert sorted(untranslated(catalogue)) == ["('one', 'many')", "new", "unsure"]


def test_a_catalogue_follows_the_texts_and_keeps_what_is_known() -> None:
    known, extracted = Catalog(locale="fr"), Catalog()
    known.add("kept", "gardé")
    known.add("gone", "parti")
    extracted.add("kept")
    extracted.add("new")
    followed = follow(known, extracted, "fr")
    assert {message.id: message.string or "" for message in texts(followed)} == {"kept": "gardé", "new": ""}
