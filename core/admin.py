"""Read-only admin: only services write, and they leave an audit entry."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from core.models import ApiToken, AuditEntry, Job, User

admin.site.site_header = admin.site.site_title = "Earmark"


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Read-only base class of every app's admin."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return isinstance(request.user, User) and request.user.is_active and request.user.is_admin

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    list_display = ["username", "role", "is_active", "last_login"]
    list_filter = ["role", "is_active"]
    search_fields = ["username"]
    exclude = ["password", "password_link_at", "groups", "user_permissions", "is_superuser"]


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ["name", "user", "scopes", "expires_at", "last_used_at", "revoked_at"]
    exclude = ["digest"]


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["at", "actor", "action", "target", "reason"]
    list_filter = ["action"]
    search_fields = ["target", "reason"]


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ["name", "queue", "state", "attempts", "requested_by", "created_at", "finished_at"]
    list_filter = ["state", "queue", "name"]
