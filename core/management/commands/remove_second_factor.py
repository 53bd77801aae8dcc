"""manage.py remove_second_factor NAME: for an account whose owner lost the telephone and the recovery codes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.models import User
from core.services import accounts


class Command(BaseCommand):
    help = "Remove a person's second factor, so that the password alone lets in until a new one is set up."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name that the account signs in with")
        parser.add_argument("--reason", required=True, help="how you know that it is them; kept in the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            raise CommandError(f"There is no account called '{options['name']}'.")
        if not accounts.remove_second_factor(account=user, actor=None, reason=options["reason"]):
            raise CommandError(f"'{user.username}' has no second factor.")
        self.stdout.write(f"The second factor of {user.username} is removed.")
