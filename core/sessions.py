"""Django's sessions in the database, looked up by a statement that is written once; rows and cookies are Django's."""

from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.contrib.sessions.models import Session
from django.utils import timezone

from core.prepared import PreparedRead

_STORED = PreparedRead(
    lambda key: Session.objects.filter(session_key=key).values_list("session_data", "expire_date"),
    key="a session's key",
)


class SessionStore(DatabaseSessions):
    def load(self) -> dict[str, Any]:
        for data, expires_at in _STORED.rows(key=self.session_key or ""):
            if expires_at > timezone.now():
                return self.decode(data)
        return super().load()
