"""Experiments: changed, designed, opened, followed and read."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earmark.http import Connection

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Experiment:
    """An experiment on the server, known by its short name; every method asks the server."""

    connection: Connection
    slug: str

    @property
    def path(self) -> str:
        return f"experiments/{self.slug}/"

    def info(self) -> dict[str, Any]:
        """Every field of the experiment, with its texts."""
        return self._get("")

    @property
    def state(self) -> str:
        """draft, live, paused or closed."""
        return str(self._get("state/")["state"])

    # --- Changes ---

    def edit(self, *, reason: str = "", **fields: Any) -> "Experiment":
        """Change fields of a draft; later the texts, with a reason. A new short name makes another object."""
        changed = self.connection.json("PATCH", self.path, {**fields, "reason": reason})
        return Experiment(self.connection, changed["slug"])

    def change_options(self, **options: Any) -> None:
        """Change options of the protocol, while there are no seats."""
        self.connection.json("PATCH", f"{self.path}options/", {"options": options})

    def change_session_settings(self, **settings: Any) -> dict[str, Any]:
        """Change checks, breaks, the stated duration or redirects."""
        changed: dict[str, Any] = self.connection.json("PATCH", f"{self.path}session-settings/", settings)
        return changed

    def copy(self) -> "Experiment":
        """Make a copy without seats and answers."""
        return Experiment(self.connection, self._post("copies/")["slug"])

    def simulate(self, *, listeners: int | None = None, seed: str = "1") -> "Experiment":
        """Let simulated listeners answer in a copy, so many or one for each seat; waits, and returns the copy.

        Its data are had with `simulated=True`, and `delete_simulation` deletes it.
        """
        made = self._post("simulations/", listeners=listeners, seed=seed)
        self.connection.finish(made["job"])
        return Experiment(self.connection, made["slug"])

    def delete_simulation(self) -> None:
        """Put a copy for simulated listeners into the bin."""
        self.connection.json("DELETE", f"{self.path}simulation/")

    def archive(self, *, archived: bool = True) -> None:
        """Hide the experiment from the list, or show it again."""
        self._post("archive/", archived=archived)

    def delete(self) -> None:
        """Put the experiment into the bin, from where `restore` takes it for 30 days."""
        self._post("deletion/", typed=self.slug)

    def restore(self) -> None:
        self._post("restoration/")

    def share(self, colleague: str, role: str = "editor") -> None:
        """Share with a colleague as editor or viewer."""
        self._post("shares/", colleague=colleague, role=role)

    def unshare(self, colleague: str) -> None:
        self.connection.json("DELETE", f"{self.path}shares/{colleague}/")

    # --- Design, seats and links ---

    def preview_design(self, **wanted: Any) -> dict[str, Any]:
        """Lay out a design and judge it (panels, seats, size, sessions, factors, preset, seed); nothing changes."""
        found: dict[str, Any] = self._post("design/preview/", **wanted)
        return found

    def design(self, **wanted: Any) -> dict[str, Any]:
        """Preview a design, apply exactly that one, wait until its seats are there, and return the preview."""
        preview = self.preview_design(**wanted)
        self.connection.finish(self._post("design/", **wanted, sha256=preview["sha256"]))
        return preview

    def add_panel(self, seats: int, *, group: str = "") -> None:
        """Add a panel whose seats get an order of their own each, without a common design."""
        self.connection.finish(self._post("panels/", seats=seats, group=group))

    def panels(self) -> "pd.DataFrame":
        """How full each panel is, one row a panel."""
        return _table(self.connection.json("GET", f"{self.path}panels/"))

    def make_links(
        self, count: int = 1, *, panel: int = 1, labels: Sequence[str] = (), days: int = 180
    ) -> list[dict[str, Any]]:
        """Make links to one panel, one for each label where there are labels. They are shown once: keep them."""
        made = self._post("links/", panel=panel, count=count, labels=list(labels), days=days)
        links: list[dict[str, Any]] = made["links"]
        return links

    def make_open_link(self, service: str = "") -> str:
        """Make one link for many people; with service="prolific", in the form that Prolific needs."""
        return str(self._post("open-links/", service=service)["links"][0]["link"])

    def links(self, *, state: str = "", search: str = "") -> "pd.DataFrame":
        """Links that were made, without their secrets: label, panel, state, dates."""
        return _table(list(self.connection.pages(f"{self.path}links/", state=state, search=search)))

    def revoke_link(self, link_id: str) -> None:
        self._post(f"links/{link_id}/revocation/")

    # --- State ---

    def go_live(self) -> None:
        """Fix everything under one hash and let listeners in."""
        self._post("state/", state="live")

    def pause(self, reason: str = "") -> None:
        self._post("state/", state="paused", reason=reason)

    def close(self, reason: str = "") -> None:
        """Close for good."""
        self._post("state/", state="closed", reason=reason)

    def return_to_draft(self) -> None:
        """Take it back, as long as there is no answer."""
        self._post("state/", state="draft")

    def unblind(self, reason: str, *, confirm: bool = False) -> None:
        """See conditions by name from now on; needs a token with the scope `unblind`.

        While the experiment is live or paused this is refused, unless it is confirmed.
        """
        self._post("unblinding/", reason=reason, confirm=confirm)

    # --- Data ---

    def monitor(self) -> "pd.DataFrame":
        """One row a listener: panel, seat, state, answers given and planned, flags."""
        rows = self._get("monitor/")["lines"]
        return _table([{**row, **row.pop("progress")} for row in rows])

    def votes(self, *, simulated: bool = False) -> "pd.DataFrame":
        """Every mark that counts, one a row; conditions are letters until the experiment is unblinded. Refused while
        there is none."""
        import pandas as pd

        answer = self.connection.ask("GET", f"{self.path}votes.csv", params=_simulated(simulated))
        return pd.read_csv(io.StringIO(answer.text))

    def results(self, *, simulated: bool = False) -> "dict[str, pd.DataFrame]":
        """The tables of the page of results, by their id; refused while there is nothing to compute them from."""
        params = _simulated(simulated)
        method = self.connection.json("GET", f"{self.path}results/", params=params)["method"]
        tables = self.connection.json("GET", f"{self.path}results/{method}/tables/", params=params)
        return {table["id"]: _table(table["rows"], table["columns"]) for table in tables}

    def files(self) -> dict[str, str]:
        """Files of the results (figures and tables in all formats) by name, and what each is."""
        index = self._get("results/")
        return {file["name"]: file["title"] for file in [*index["files"], *index["tables"]]}

    def save(self, name: str, into: str | Path, *, simulated: bool = False) -> Path:
        """Save one of `files`, such as mos.svg."""
        method = self._get("results/")["method"]
        target = _target(into, f"{self.slug}-{name}")
        return self.connection.save(f"{self.path}results/{method}/files/{name}", target, **_simulated(simulated))

    def dataset(self, into: str | Path, *, simulated: bool = False, anonymous: bool = False, k: int = 5) -> Path:
        """Save the whole dataset as a zip: answers, results, design, scripts and checksums.

        In the anonymous edition each combination of answers about a person is shared by at least k listeners.
        """
        target = _target(into, f"{self.slug}-{'anonymous-' if anonymous else ''}dataset.zip")
        edition = {"anonymous": "1", "k": str(k)} if anonymous else {}
        return self.connection.save(f"{self.path}dataset.zip", target, **_simulated(simulated), **edition)

    def report(self, into: str | Path, *, simulated: bool = False, pdf: bool = False) -> Path:
        """Save the report as one file: methods, design, listeners, figures, tables and versions.

        It is HTML, or PDF, which the server needs some seconds to write.
        """
        name, asked = "report.pdf" if pdf else "report.html", _simulated(simulated)
        if pdf:
            self.connection.finish(self.connection.json("POST", f"{self.path}{name}", params=asked))
        return self.connection.save(f"{self.path}{name}", _target(into, f"{self.slug}-{name}"), **asked)

    def _get(self, place: str) -> dict[str, Any]:
        found: dict[str, Any] = self.connection.json("GET", f"{self.path}{place}")
        return found

    def _post(self, place: str, **body: Any) -> Any:
        return self.connection.json("POST", f"{self.path}{place}", body)


def _simulated(simulated: bool) -> dict[str, str]:
    return {"simulated": "1"} if simulated else {}


def _target(into: str | Path, name: str) -> Path:
    """The file to write: in a folder, under the name that the server gives it."""
    target = Path(into)
    return target / name if target.is_dir() else target


def _table(rows: list[dict[str, Any]], columns: Sequence[str] | None = None) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(rows, columns=list(columns) if columns is not None else None)
