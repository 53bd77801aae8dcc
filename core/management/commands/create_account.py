"""manage.py create_account NAME: make an account, because nobody can sign up by themselves."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import AppError
from core.models import User
from core.services import accounts


class Command(BaseCommand):
    help = "Make an account for an experimenter or an admin."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name to sign in with")
        parser.add_argument("--role", choices=User.Role.values, default=User.Role.EXPERIMENTER.value)
        parser.add_argument(
            "--password-stdin", action="store_true", help="read the password from standard input; otherwise it is made"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        given = options["password_stdin"]
        password = sys.stdin.readline().rstrip("\n") if given else accounts.random_password()
        try:
            user = accounts.create_account(
                name=options["name"], role=User.Role(options["role"]), password=password, actor=None
            )
        except AppError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Account {user.username} ({user.role}) is made.")
        if not given:
            self.stdout.write(f"Password, shown only now: {password}")
