"""Application that answers everything, and whose server gives a request a third of the time to arrive."""

from wsgiref.simple_server import demo_app

from config import gunicorn_worker

application = demo_app
gunicorn_worker.REQUEST_TIMEOUT_S //= 3
