"""Bring the translation catalogues in step with the code and the templates."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from core.catalogue import extract_messages, follow, load_catalogue, save_catalogue, untranslated


class Command(BaseCommand):
    help = "Adds new texts to every catalogue, drops those that are gone, and lists what is left to translate."

    def handle(self, *args: Any, **options: Any) -> None:
        extracted = extract_messages()
        for language, _ in settings.LANGUAGES:
            if language == settings.LANGUAGE_CODE:
                continue
            catalogue = follow(load_catalogue(language), extracted, language)
            save_catalogue(catalogue, language)
            missing = untranslated(catalogue)
            self.stdout.write(f"{language}: {len(catalogue)} texts, {len(missing)} to translate")
            for text in missing:
                self.stdout.write(f"  {text}")
