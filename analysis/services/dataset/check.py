"""Checks of a dataset's zip: checksums, columns, rows, keys, hashes and the chain of votes."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from analysis.services.dataset.columns import REFERENCES
from analysis.services.dataset.files import DESCRIPTION, SIDECAR, TABLE, DatasetFiles, as_json
from core.errors import AppError
from core.hashing import digest
from core.hmacs import valid_hmacs
from core.services import audit
from rating.models import Vote
from rating.services.ballots import outline_of
from rating.services.votes import head_message, link_of

CHECKSUMS = "checksums.sha256"
MOST_TOLD = 5  # of the defects of one check
WITHDRAWN = "withdrawn"
UNIQUE = ("seats", "answers", "visits", "texts", "responses")  # tables whose first column has no value twice


@dataclass
class Check:
    """The outcome of one check: defects, or why it could not be made."""

    title: str
    told: str = ""
    defects: list[str] = field(default_factory=list)
    skipped: str = ""

    @property
    def line(self) -> str:
        if self.defects:
            more = f" And {len(self.defects) - MOST_TOLD} more." if len(self.defects) > MOST_TOLD else ""
            return f"DEFECT   {self.title}: {' '.join(self.defects[:MOST_TOLD])}{more}"
        if self.skipped:
            return f"skipped  {self.title}: {self.skipped}"
        return f"ok       {self.title}: {self.told}"


class Skipped(Exception):
    """A check that the zip does not hold enough for."""


def verify_dataset(files: DatasetFiles) -> list[Check]:
    """Make every check; one that finds a file unreadable has that as its defect."""
    checks: dict[str, Callable[[DatasetFiles, list[str]], str]] = {
        "checksums": _checksums,
        "sidecars": _sidecars,
        "rows": _rows,
        "keys": _keys,
        "answers": _answers,
        "marks": _marks,
        "consent texts": _texts,
        "plans": _plans,
        "design": _design,
        "vote chain": _chain,
        "starter": _starter,
    }
    found = []
    for title, make in checks.items():
        check = Check(title)
        try:
            check.told = make(files, check.defects)
        except Skipped as why:
            check.skipped = str(why)
        except AppError as error:
            check.defects.append(str(error))
        except (KeyError, ValueError, TypeError) as error:
            check.defects.append(f"a column or a value is missing or has another form ({error}).")
        found.append(check)
    return found


def _checksums(files: DatasetFiles, defects: list[str]) -> str:
    lines = (line.partition("  ") for line in files.text(CHECKSUMS).splitlines())
    listed = {path: sha256 for sha256, _blank, path in lines}
    unlisted = sorted(files.places.keys() - listed.keys() - {CHECKSUMS})
    defects += [f"'{path}' is not in the list of checksums." for path in unlisted]
    for path, wanted in listed.items():
        if path not in files.places:
            defects.append(f"'{path}' is missing.")
            continue
        with files.places[path].open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != wanted:
                defects.append(f"'{path}' was altered.")
    return f"{len(listed)} files"


def _sidecars(files: DatasetFiles, defects: list[str]) -> str:
    described = {column["name"] for column in files.json(DESCRIPTION)["variableMeasured"]}
    for name, path in files.tables.items():
        beside = path.removesuffix(TABLE) + SIDECAR
        columns = files.columns(name)
        if [column["name"] for column in files.json(beside)["variableMeasured"]] != columns:
            defects.append(f"the columns of {name} are not those of its sidecar.")
        if missing := sorted(set(columns) - described):
            defects.append(f"{DESCRIPTION} does not describe {', '.join(missing)} of {name}.")
    return f"{len(files.tables)} tables"


def _rows(files: DatasetFiles, defects: list[str]) -> str:
    counted = {name: sum(1 for _row in files.rows(name)) for name in files.tables}
    said = files.json(DESCRIPTION)["tables"]
    defects += [
        f"{name} has {counted.get(name, 0)} rows and should have {said.get(name, 0)}."
        for name in sorted(said.keys() | counted.keys())
        if said.get(name, 0) != counted.get(name, 0)
    ]
    return f"{sum(counted.values())} rows"


def _keys(files: DatasetFiles, defects: list[str]) -> str:
    """What a table refers to is there; a page with several slots has several rows, and nothing else twice."""
    keys = {name: Counter(row[files.columns(name)[0]] for row in files.rows(name)) for name in files.tables}
    defects += [
        f"{name} has {key} {times} times."
        for name in UNIQUE
        for key, times in keys.get(name, Counter()).items()
        if times > 1
    ]
    count = 0
    for name, references in REFERENCES.items():
        for column, other in references.items():
            if name not in files.tables or column not in files.columns(name):
                continue
            count += 1
            given = {row[column] for row in files.rows(name)} - {""}
            if lost := sorted(given - keys.get(other, Counter()).keys()):
                defects.append(f"{column} {lost[0]} of {name} is not in {other} ({len(lost)} in all).")
    return f"{count} references"


def _answers(files: DatasetFiles, defects: list[str]) -> str:
    """As many answers as each seat says, and revisions without gaps of which the last one is current."""
    held = Counter(row["ballot_id"] for row in files.rows("answers"))
    for seat in files.rows("seats"):
        if seat["state"] != WITHDRAWN and held[seat["ballot_id"]] != int(seat["votes"] or 0):
            where = f"panel {seat['panel']} seat {seat['seat']}"
            defects.append(f"{where} has {seat['votes']} answers, and {held[seat['ballot_id']]} are here.")
    revisions: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for row in files.rows("answers"):
        if row["revision"]:
            revisions[row["trial_id"]].append((int(row["revision"]), row["current"]))
    for trial, found in revisions.items():
        wanted = [(number, "true" if number == len(found) else "false") for number in range(1, len(found) + 1)]
        if sorted(found) != wanted:
            defects.append(f"the answers to trial {trial} are not numbered from 1 to the current one.")
    return f"{sum(held.values())} answers"


def _marks(files: DatasetFiles, defects: list[str]) -> str:
    """The responses are the marks of the current answers on seats that count."""
    given: Counter[tuple[str, str, float]] = Counter()
    for row in files.rows("answers"):
        if row["current"] == "true" and row["counts"] == "true":
            given.update((row["trial_id"], scale, float(value)) for _slot, scale, value in as_json(row["marks"], []))
    told = Counter((row["trial_id"], row["scale"], float(row["value"])) for row in files.rows("responses"))
    for trial, scale, value in sorted((told - given).keys() | (given - told).keys()):
        defects.append(f"the mark {value:g} on {scale} of trial {trial} is not the same in responses and answers.")
    return f"{told.total()} marks"


def _texts(files: DatasetFiles, defects: list[str]) -> str:
    versions = {row["text_version"]: row["consent_sha256"] for row in files.rows("texts")}
    defects += [
        f"the consent text of version {row['text_version']} was altered."
        for row in files.rows("texts")
        if digest(row["consent_text"]) != row["consent_sha256"]
    ]
    defects += [
        f"panel {seat['panel']} seat {seat['seat']} agreed to another text than its version has."
        for seat in files.rows("seats")
        if seat["text_version"] and versions.get(seat["text_version"]) != seat["consent_sha256"]
    ]
    return f"{len(versions)} versions"


def _need_names(files: DatasetFiles) -> None:
    if files.json(DESCRIPTION)["conditions"] != "names":
        raise Skipped("conditions are letters in this dataset, and the hash is over their names.")


def pages_of(files: DatasetFiles) -> dict[str, list[dict[str, Any]]]:
    """The pages of each ballot, in their order, each with its slots."""
    pages: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for row in files.rows("trials"):
        page = pages[row["ballot_id"]].setdefault(int(row["position"]), {**row, "slots": []})
        page["slots"].append((row["slot"], row["item"], row["condition"]))
    return {ballot: [own[position] for position in sorted(own)] for ballot, own in pages.items()}


def _plans(files: DatasetFiles, defects: list[str]) -> str:
    _need_names(files)
    pages = pages_of(files)
    for seat in files.rows("seats"):
        if seat["state"] == WITHDRAWN:
            continue
        outline = [
            outline_of(
                int(page["session"]), page["kind"], page["ask"].split("|"), page["slots"], as_json(page["detail"], {})
            )
            for page in pages.get(seat["ballot_id"], [])
        ]
        if digest(outline) != seat["plan_sha256"]:
            defects.append(f"the pages of panel {seat['panel']} seat {seat['seat']} are not those of its hash.")
    return f"{len(pages)} seats"


def _design(files: DatasetFiles, defects: list[str]) -> str:
    _need_names(files)
    design = files.json("design.json")
    if not design["design_sha256"]:
        raise Skipped("the experiment was a draft and had no hash.")
    contents = design["contents"]
    if digest(contents) != design["design_sha256"]:
        defects.append("what shapes an answer is not what the hash of the design says.")
    planned = {(item, condition): sha256 for item, _factors, condition, _role, sha256 in contents["stimuli"]}
    for row in files.rows("stimuli"):
        sha256 = planned.pop((row["item"], row["condition"]), "")
        if sha256 and sha256 != row["sha256"]:
            defects.append(f"{row['item']} x {row['condition']} has another hash than in the design.")
    defects += [f"{item} x {condition} is in the design, and not in stimuli." for item, condition in sorted(planned)]
    return str(design["design_sha256"])[:12]


def _chain(files: DatasetFiles, defects: list[str]) -> str:
    if "answers" not in files.tables or not any(files.rows("answers")):
        raise Skipped("there are no answers.")
    if "seal" not in files.columns("answers"):
        raise Skipped("this edition has no seals.")
    plans = {seat["ballot_id"]: seat["plan_sha256"] for seat in files.rows("seats")}
    votes: dict[str, list[tuple[str, Vote]]] = defaultdict(list)
    for row in files.rows("answers"):
        votes[row["ballot_id"]].append((row["chain"], Vote(event_id=UUID(row["event_id"]), seal=row["seal"])))
    broken = list(_broken_links(votes, plans))
    # Where nothing fits, the key may be another one; but not if the dataset's root is in the log that this key seals.
    if len(broken) == sum(map(len, votes.values())) and not _made_here(files):
        raise Skipped("the answers were sealed by another server, or with another key (EARMARK_SEAL_KEY).")
    defects += [f"answer {event} does not follow the one before it." for event in broken]
    return f"{sum(map(len, votes.values()))} links on {len(votes)} ballots"


def _made_here(files: DatasetFiles) -> bool:
    """Whether the dataset's root is in the audit log of this server, which is sealed with its key."""
    return audit.holds_root(str(files.json(DESCRIPTION).get("root", ""))) and audit.ends_with_head()


def _broken_links(votes: dict[str, list[tuple[str, Vote]]], plans: dict[str, str]) -> Iterator[UUID]:
    for ballot, own in votes.items():
        previous = ""
        for number, (chain, vote) in enumerate(own):
            heads = valid_hmacs(head_message(UUID(ballot), plans.get(ballot, ""), number, previous))
            if chain not in [link_of(vote, previous_head=head) for head in heads]:
                yield vote.event_id
            previous = chain


def _starter(files: DatasetFiles, defects: list[str]) -> str:
    path = "analysis/starter_output.txt"
    if path not in files.places:
        raise Skipped("the script had nothing to compare with when the zip was made.")
    last = files.text(path).rstrip("\n").rpartition("\n")[2]
    if not last.startswith("The same as expected.csv"):
        defects.append(f"analysis/starter.py said: {last}")
    return last
