"""gunicorn for both kinds of installation: two processes of four threads, which SQLite's lock serves best."""

import os
from pathlib import Path

# gunicorn's threads, with a time limit for requests that do not arrive whole.
worker_class = "config.gunicorn_worker.Worker"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
threads = 4
# Django is imported once and shared by fork, which halves the start and much of the memory.
preload_app = True
# A request in flight may finish before a stop; the browser's outbox sends again whatever did not.
graceful_timeout = 20
timeout = 60
keepalive = 15
# Heartbeats of the worker processes belong in memory: a slow disk must not look like a hung worker.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - gunicorn makes its own file there
# A long life leaks; the jitter keeps the processes from restarting together.
max_requests = 20_000
max_requests_jitter = 2_000
limit_request_fields = 60
# Invitation links are secrets, so their addresses are not written down (and config/logs.py hides them elsewhere).
accesslog = None
errorlog = "-"
loglevel = "warning"
control_socket_disable = True
