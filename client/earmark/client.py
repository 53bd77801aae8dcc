"""Client of a server: experiments, collections and protocols that a token may see."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from earmark.collections import Collection, Progress
from earmark.experiments import Experiment
from earmark.http import Connection

if TYPE_CHECKING:
    import pandas as pd


class Client:
    """A server and a token, which is made on the page Account."""

    def __init__(self, url: str, token: str, *, timeout_s: float = 60.0) -> None:
        self.connection = Connection(url, token, timeout_s=timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.connection.close()

    def experiments(self, *, search: str = "", state: str = "") -> "pd.DataFrame":
        """Own and shared experiments, newest first, one a row."""
        import pandas as pd

        return pd.DataFrame(list(self.connection.pages("experiments/", search=search, state=state)))

    def experiment(self, slug: str) -> Experiment:
        """An experiment by its short name; nothing is asked of the server yet."""
        return Experiment(self.connection, slug)

    def create(self, title: str, *, collection: str | Collection, protocol: str, **fields: Any) -> Experiment:
        """Create a draft. Texts, labels, language and options that are not given have their usual values."""
        slug = collection.slug if isinstance(collection, Collection) else collection
        body = {"title": title, "collection": slug, "protocol": protocol, **fields}
        return Experiment(self.connection, self.connection.json("POST", "experiments/", body)["slug"])

    def collections(self) -> "pd.DataFrame":
        """Own collections and those of shared experiments, newest first, one a row."""
        import pandas as pd

        return pd.DataFrame(list(self.connection.pages("collections/")))

    def collection(self, slug: str) -> Collection:
        return Collection(self.connection, slug)

    def upload(self, source: str | Path, *, title: str = "", progress: Progress | None = None) -> Collection:
        """Make a collection of a folder, a zip or one file; `progress` is told the bytes sent and those in all.

        Files that cannot be used raise an error with what is wrong; the empty collection then stays for another try.
        """
        name = title or Path(source).stem
        made = self.connection.json("POST", "collections/", {"title": name})
        return Collection(self.connection, made["slug"]).upload(source, progress=progress)

    def protocols(self) -> list[dict[str, Any]]:
        """Every protocol with its scales, label sets and options."""
        found: list[dict[str, Any]] = self.connection.json("GET", "protocols/")
        return found

    def monitor(self) -> "pd.DataFrame":
        """One row for each experiment where people may be listening."""
        import pandas as pd

        return pd.DataFrame(self.connection.json("GET", "monitor/"))
