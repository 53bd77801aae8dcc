"""The WSGI entry point that gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# All pages are loaded before the processes fork, and shared by them.
get_resolver().url_patterns  # noqa: B018 - reading it loads them
