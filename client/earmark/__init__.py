"""Client of an Earmark server: `earmark.Client(url, token).experiment("x").votes()`."""

from earmark.client import Client as Client
from earmark.collections import Collection as Collection
from earmark.experiments import Experiment as Experiment
from earmark.http import EarmarkError as EarmarkError
