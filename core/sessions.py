"""Django's sessions in the database, read by plain SQL, because every vote reads one; rows and cookies are Django's."""

from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.utils import timezone

from core import sql

_STORED = "SELECT session_data, expire_date FROM django_session WHERE session_key = %(key)s"


class SessionStore(DatabaseSessions):
    def load(self) -> dict[str, Any]:
        for row in sql.fetch(_STORED, key=self.session_key or "", times=("expire_date",)):
            if row["expire_date"] > timezone.now():
                return self.decode(row["session_data"])
        return super().load()
