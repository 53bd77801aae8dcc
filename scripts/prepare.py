"""Preparation before a start: database, static files and demo in one process, to start Django only once."""

import os
import sys

# What stands after this line is for the person at the terminal; everything before it is for the log.
WORDS_FOLLOW = "--- logins and links ---"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.conf import settings
    from django.core.management import CommandError, call_command

    django.setup()
    try:
        call_command("check_database")  # first: a damaged file is not to be altered
        call_command("migrate", interactive=False)
        call_command("collectstatic", interactive=False)
        if not settings.PRODUCTION:
            call_command("create_demo", if_empty=True, background=True)
        print(WORDS_FOLLOW, flush=True)
        if not settings.PRODUCTION:
            call_command("demo_link")
    except CommandError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
