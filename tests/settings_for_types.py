"""What mypy reads instead of tests/settings.py: the same names without starting a server or making a folder."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.testapp"]
TEST_DATABASE = "sqlite"
