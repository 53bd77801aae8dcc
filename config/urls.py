"""URLs of all apps; tests/contracts/test_routes.py lists who may open which."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path
from django.views.i18n import set_language

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

# Addresses are tried in this order, and those of a visit are asked for most.
api = [
    path("", include("listening.api_urls")),
    path("", include("core.api_urls")),
    path("", include("stimuli.api_urls")),
    path("", include("rating.api_urls")),
    path("", include("analysis.api_urls")),
]

urlpatterns = [
    path("api/v1/", include((api, "api"))),
    path("", include("core.urls")),
    path("", include("stimuli.urls")),
    path("", include("rating.urls")),
    path("", include("listening.urls")),
    path("", include("analysis.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("language/", set_language, name="set_language"),
    path("admin/", admin.site.urls),
]

handler400 = "core.views.bad_request"
handler403 = "core.views.forbidden"
handler404 = "core.views.not_found"
handler500 = "core.views.server_error"
