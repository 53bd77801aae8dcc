"""Settings that mypy reads instead of tests/settings.py: the same names, without a server or a folder."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.testapp"]
TEST_DATABASE = "sqlite"
