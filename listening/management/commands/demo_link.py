"""manage.py demo_link: the address, the demo's logins, and fresh participant links."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from listening.panels.services import demo


class Command(BaseCommand):
    help = "Print the address, the demo's logins, and a fresh participant link for each demo experiment."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"Earmark    {settings.PUBLIC_URL}/")
        for name, password in demo.logins().items():
            self.stdout.write(f"Sign in    {name} / {password}")
        for title, link in demo.fresh_links(now=timezone.now()).items():
            self.stdout.write(f"Take part  {link}  ({title})")
        if demo.is_being_built():
            self.stdout.write("Soon       Another demo is being made; ./earmark manage demo_link then has its link.")
