"""One settings file, driven by environment variables; docs/settings.md documents every one of them."""

import os
from pathlib import Path

import environ
from django.utils.translation import gettext_lazy as _

from config import logs
from config.secret import load_secret

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()
# A test run says everything itself: what a developer keeps in .env must not decide whether tests pass.
if "EARMARK_TEST_DATABASE" not in os.environ and (BASE_DIR / ".env").exists():
    env.read_env(BASE_DIR / ".env")

# --- Which Earmark is this? -----------------------------------------------------------------------------------------
# Embedded (the default): SQLite, files on disk, jobs straight from the table, loopback only.
# Production: everything below comes from the environment, and the start-up checks insist on it.
PRODUCTION = env.bool("EARMARK_PRODUCTION", default=False)
DEBUG = env.bool("EARMARK_DEBUG", default=False)
DATA_DIR = Path(env.str("EARMARK_DATA_DIR", default=str(BASE_DIR / "var")))
# The internal location under which nginx sends files of MEDIA_ROOT itself; empty: Django sends them.
X_ACCEL_PREFIX = env.str("EARMARK_X_ACCEL_PREFIX", default="")
# Data, logs, copies and exports are for the account that runs the server alone. An nginx that sends files itself reads
# them as a member of that account's group. Every process loads these settings before it writes its first file.
os.umask(0o027 if X_ACCEL_PREFIX else 0o077)
# Matrices of the mixed model are small: several threads of one process only wait for each other, and for the sound that
# is being decoded beside. Read when numpy is loaded, which is later, and by a worker alone.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
FILE_UPLOAD_PERMISSIONS = 0o640 if X_ACCEL_PREFIX else 0o600
PUBLIC_URL = env.str("EARMARK_PUBLIC_URL", default="http://127.0.0.1:8000").rstrip("/")
ALLOWED_HOSTS = env.list("EARMARK_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
SECRET_KEY = load_secret(
    env.str("EARMARK_SECRET_KEY", default=""),
    setting="EARMARK_SECRET_KEY",
    own=DATA_DIR / "secret-key",
    production=PRODUCTION,
)
SECRET_KEY_FALLBACKS = env.list("EARMARK_SECRET_KEY_FALLBACKS", default=[])
# The key of the seals on votes and on the audit log, then earlier ones (docs/settings.md says what a change means).
SEAL_KEYS = [
    load_secret(
        env.str("EARMARK_SEAL_KEY", default=""),
        setting="EARMARK_SEAL_KEY",
        own=DATA_DIR / "seal-key",
        production=PRODUCTION,
    ),
    *env.list("EARMARK_SEAL_KEY_FALLBACKS", default=[]),
]

BACKUP_EVERY_S = env.int("EARMARK_BACKUP_EVERY_S", default=6 * 3600)
# Work that repeats: job name -> seconds between two runs (core/jobs/schedule.py).
SCHEDULE = {
    "core.copy_database": BACKUP_EVERY_S,
    "stimuli.resume_ingests": 300,
    "stimuli.expire_imports": 3600,
    "listening.forget_addresses": 3600,
    "listening.empty_bin": 3600,
    "listening.send_alerts": 900,
    "analysis.refresh_stale_results": env.int("EARMARK_RESULTS_EVERY_S", default=60),
}

# --- Django ---------------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    # Protocols, one line each (docs/adding-a-protocol.md).
    "protocols.acr",
    "protocols.dcr",
    "protocols.p835",
    "protocols.tcsd_plane",
    "protocols.speech_summaries",
    "protocols.chaptering",
    "protocols.thumbs",
    "protocols.abx",
    "analysis",
    "listening",
    "rating",
    "stimuli",
    "core",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "listening.participation.locale.ExperimentLocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "core.middleware.ErrorMiddleware",
    "core.middleware.AccessMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "core.views.site",
            ],
        },
    },
]

# --- Database -------------------------------------------------------------------------------------------------------
DATABASES = {"default": env.db_url("EARMARK_DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'earmark.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        # IMMEDIATE takes the write lock at the start, so that a transaction never fails half way on an upgrade;
        # FULL means that a reply is sent only after the bytes are on the disk.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
    }
else:
    DATABASES["default"]["OPTIONS"] = {
        # As long as SQLite waits for its lock; a request that waits longer is answered with 503 and sent again.
        "options": "-c lock_timeout=20s",
        "connect_timeout": 10,
        **DATABASES["default"].get("OPTIONS", {}),
    }
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["CONN_MAX_AGE"] = 60  # a new connection for each request costs more than a vote
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Jobs: the table is the record, Celery on Redis delivers them -----------------------------------------------------
REDIS_URL = env.str("EARMARK_REDIS_URL", default="")
JOB_LEASE_S = env.int("EARMARK_JOB_LEASE_S", default=60)
JOB_MAX_ATTEMPTS = 5
JOB_POLL_S = env.float("EARMARK_JOB_POLL_S", default=0.2)
BACKUP_KEEP = env.int("EARMARK_BACKUP_KEEP", default=8)
# With less room than this on the disk of the data folder, /readyz says that the server is not ready.
LEAST_FREE_MB = env.int("EARMARK_LEAST_FREE_MB", default=512)

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},  # nobody waits for a cache that does not answer
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 10_000}}
}

# --- Files ------------------------------------------------------------------------------------------------------------
MEDIA_ROOT = DATA_DIR / "files"
S3_BUCKET = env.str("EARMARK_S3_BUCKET", default="")
STORAGES = {
    "default": {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": env.str("EARMARK_S3_ENDPOINT", default="") or None,
            "region_name": env.str("EARMARK_S3_REGION", default="") or None,
            "access_key": env.str("EARMARK_S3_ACCESS_KEY", default="") or None,
            "secret_key": env.str("EARMARK_S3_SECRET_KEY", default="") or None,
            "default_acl": None,  # the bucket is private as a whole; many stores know no access lists
            "querystring_auth": True,
            "file_overwrite": True,
        },
    }
    if S3_BUCKET
    else {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
# --- Sound ----------------------------------------------------------------------------------------------------------
SHORT_RECORDING_S = 600  # up to here a recording is decoded at once and served whole; beyond, in chunks and slices
LONGEST_RECORDING_H = env.float("EARMARK_LONGEST_RECORDING_H", default=26)
UPLOADS_DIR = DATA_DIR / "uploads"
UPLOAD_QUOTA_GB = env.float("EARMARK_UPLOAD_QUOTA_GB", default=200)  # for each person: stored and on the way
UPLOAD_EXPIRES_DAYS = env.int("EARMARK_UPLOAD_EXPIRES_DAYS", default=7)
PICTURE_CACHE_DIR = DATA_DIR / "pictures"
PICTURE_CACHE_MB = env.int("EARMARK_PICTURE_CACHE_MB", default=512)
MEDIA_URL_EXPIRES_S = env.int("EARMARK_MEDIA_URL_EXPIRES_S", default=900)
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]

# --- Taking part by a link for many, until the first answer ---------------------------------------------------------
UNANSWERED_SEAT_MINUTES = env.int("EARMARK_UNANSWERED_SEAT_MINUTES", default=30)
UNANSWERED_SEATS_PER_ADDRESS = env.int("EARMARK_UNANSWERED_SEATS_PER_ADDRESS", default=30)  # 0: no limit

# --- E-mail to participants; the console backend writes it to the log of the worker -----------------------------------
globals().update(env.email_url("EARMARK_EMAIL_URL", default="consolemail://"))
DEFAULT_FROM_EMAIL = env.str("EARMARK_EMAIL_FROM", default="earmark@localhost")
EMAIL_TIMEOUT = 30

# --- People -----------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "core.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "rating:experiments"
LOGOUT_REDIRECT_URL = "core:home"
ACCOUNT_ADAPTER = "core.accounts.ClosedSignup"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = False
MFA_ADAPTER = "core.accounts.EncryptedSecrets"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Earmark"
# A second factor is required of staff wherever others can reach the server (docs/settings.md).
SECOND_FACTOR_REQUIRED = env.bool("EARMARK_SECOND_FACTOR", default=PRODUCTION)

# --- Sessions, cookies, headers ---------------------------------------------------------------------------------------
SESSION_ENGINE = "core.sessions"
SESSION_COOKIE_NAME = "__Host-earmark" if PRODUCTION else "earmark"
CSRF_COOKIE_NAME = "__Host-earmark-csrf" if PRODUCTION else "earmark-csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
# Limits on sign-in count by address: nginx tells the client's, and no client is believed about its own.
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if PRODUCTION else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
# Not "no-referrer": under it browsers send "Origin: null" with every form, and Django rightly refuses those.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "core.views.csrf_failure"
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PRODUCTION else []
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "media-src": ["'self'", "blob:"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

# --- Words and time ---------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("fr", _("French")), ("de", _("German")), ("es", _("Spanish"))]
# Translated for participants alone, and not yet read by a native speaker; pages in these languages say so.
DRAFT_LANGUAGES = ["de", "es"]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

# --- API --------------------------------------------------------------------------------------------------------------
# Of the software, as the CHANGELOG has it; told in reports.
SOFTWARE_VERSION = "0.1.0"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["core.api.TokenAuthentication", "core.api.StaffSessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["core.permissions.HasAudience"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.api.JsonBody"],
    "DEFAULT_PAGINATION_CLASS": "core.api.CursorPages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "core.api.render_error",
    "PAGE_SIZE": 100,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    # Of the participant's API, as NUMBER/s, /m or /h; empty: no limit. nginx tells the client's address.
    "DEFAULT_THROTTLE_RATES": {
        "visit": env.str("EARMARK_VISIT_RATE", default="1200/m") or None,
        "address": env.str("EARMARK_ADDRESS_RATE", default="30000/m") or None,
    },
    "NUM_PROXIES": 1 if PRODUCTION else 0,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Earmark",
    "DESCRIPTION": "Listening tests over HTTP.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_NAME_OVERRIDES": {
        "ImportState": "stimuli.models.Import.State",
        "ExperimentState": "rating.models.Experiment.State",
    },
}

# Addresses of invitations are secrets; no logger of this process writes one down.
logs.install()
LOG_LEVEL = env.str("EARMARK_LOG_LEVEL", default="WARNING")
LOG_FORMAT = env.str("EARMARK_LOG_FORMAT", default="line")
ERROR_LOG = DATA_DIR / "errors.jsonl"  # the last errors, for the page Service
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": "config.logs.JsonLines"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "json" if LOG_FORMAT == "json" else "line"},
        "errors": {"class": "core.error_log.ErrorLogHandler", "path": str(ERROR_LOG)},
    },
    "root": {"handlers": ["console", "errors"], "level": LOG_LEVEL},
    # A line for the start and for the end of every job: otherwise the log of a worker that works is empty.
    "loggers": {"core.jobs.worker": {"level": "INFO" if LOG_LEVEL == "WARNING" else LOG_LEVEL}},
}
