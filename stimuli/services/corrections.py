"""Corrections of an import after a check: files that are left out, taken back, replaced or added."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_noop as _

from core.errors import AppError
from core.models import User
from core.services import audit
from stimuli.models import Import, ImportFile, ImportFileQuerySet
from stimuli.services.imports import (
    LEFT_OUT,
    MOST_NAMED,
    REPLACED,
    check_import,
    declare_files,
    enqueue_job,
    enter_state,
    load_draft,
    lock_import,
    reserve_space,
    wrong_import_state,
)
from stimuli.uploads import files as upload_files
from stimuli.uploads.manifest import DeclaredFile, check_files, composed

CORRECTABLE = (Import.State.HAS_ERRORS, Import.State.PROPOSED)
LONGEST_REASON = 500
MOST_LOGGED = 100  # names in one entry of the audit log


def nothing_selected() -> AppError:
    return AppError("import.nothing_selected", 422, _("Select the files to leave out first."))


@transaction.atomic
def leave_out_files(*, import_: Import, paths: Iterable[str], actor: User, reason: str = "", now: datetime) -> Import:
    """Leave files out of an import and check the others again; without a path, only check again.

    The bytes stay until the import ends, so that a file can be taken back.
    """
    import_ = _lock_correctable(import_)
    chosen = _known(import_, paths)
    fresh = [path for path in chosen if path not in _left_out(import_)]
    import_.corrections += _records(import_, fresh, LEFT_OUT, actor=actor, reason=reason, now=now)
    if fresh:
        logged = {"count": len(fresh), "paths": fresh[:MOST_LOGGED]}
        audit.record(
            actor=actor,
            action="import.files_left_out",
            target=import_,
            after=logged,
            reason=reason.strip()[:LONGEST_REASON],
        )
    return _check_again(import_, actor=actor, now=now)


@transaction.atomic
def take_back_files(*, import_: Import, paths: Iterable[str], actor: User, now: datetime) -> Import:
    """Take files that were left out back into an import, and check it again."""
    import_ = _lock_correctable(import_)
    chosen = {composed(path) for path in paths} & _left_out(import_)
    import_.corrections = [one for one in import_.corrections if one["action"] != LEFT_OUT or one["path"] not in chosen]
    if chosen:
        logged = {"count": len(chosen), "paths": sorted(chosen)[:MOST_LOGGED]}
        audit.record(actor=actor, action="import.files_taken_back", target=import_, before=logged)
    return _check_again(import_, actor=actor, now=now)


@transaction.atomic
def replace_files(
    *, import_: Import, files: Iterable[DeclaredFile], actor: User, reason: str = "", now: datetime
) -> ImportFileQuerySet:
    """Announce new files in the places of some, which are deleted; the import receives again until it is submitted."""
    import_ = _lock_correctable(import_)
    asked = {file.path: file for file in check_files(files)}
    _known(import_, asked)
    import_.corrections = [
        one for one in import_.corrections if one["action"] != LEFT_OUT or one["path"] not in asked
    ] + _records(import_, asked, REPLACED, actor=actor, reason=reason, now=now)
    old = list(_rows(import_, asked))
    before = {row.path: row.sha256 for row in old[:MOST_LOGGED]}
    stale = [upload_files.path_of(row) for row in old]
    for row in old:
        row.delete()
    reserve_space(import_.owner, list(asked.values()))
    declare_files(import_, asked.values())
    after = {"count": len(asked), "paths": list(asked)[:MOST_LOGGED]}
    audit.record(
        actor=actor,
        action="import.files_replaced",
        target=import_,
        before=before,
        after=after,
        reason=reason.strip()[:LONGEST_REASON],
    )
    _receive_again(import_, actor=actor, now=now)
    transaction.on_commit(lambda: upload_files.discard_places(stale))
    # All of them where many were asked for: a database limits the number of parameters of a query.
    return import_.files.filter(path__in=list(asked)) if len(asked) <= MOST_NAMED else import_.files.all()


@transaction.atomic
def reopen_import(*, import_: Import, actor: User, now: datetime) -> Import:
    """Let an import that was checked receive more files; what has arrived stays."""
    import_ = _lock_correctable(import_)
    _receive_again(import_, actor=actor, now=now)
    return import_


def files_with_errors(import_: Import) -> list[str]:
    """The files that the errors of the last check are about, each once."""
    errors = [one for one in import_.report.get("findings", []) if one["severity"] == "error"]
    return list(dict.fromkeys(path for one in errors for path in one.get("files", [])))


def _lock_correctable(import_: Import) -> Import:
    locked = lock_import(import_)
    if locked.state not in CORRECTABLE:
        raise wrong_import_state(state=locked.get_state_display())
    return locked


def _known(import_: Import, paths: Iterable[str]) -> list[str]:
    """The paths, each once; those of files that the import does not have are rejected."""
    plan, report = import_.plan, import_.report
    known = {
        *import_.files.values_list("path", flat=True),
        *(cell["path"] for cell in plan.get("stimuli", [])),
        *(one["path"] for one in plan.get("ignored", [])),
        *plan.get("attached", []),
        *(path for one in report.get("findings", []) for path in one.get("files", [])),
    }
    chosen = list(dict.fromkeys(composed(path) for path in paths))
    if unknown := [path for path in chosen if path not in known]:
        raise AppError(
            "import.file_unknown",
            422,
            _("The import has no file '{path}'. Choose among the files that its page lists."),
            path=unknown[0][:200],
        )
    return chosen


def _left_out(import_: Import) -> set[str]:
    return {one["path"] for one in import_.corrections if one["action"] == LEFT_OUT}


def _rows(import_: Import, paths: Collection[str]) -> Iterable[ImportFile]:
    """The rows of some files; a file out of an archive has none."""
    if len(paths) <= MOST_NAMED:
        return import_.files.filter(path__in=list(paths))
    return [row for row in import_.files.all() if row.path in paths]


def _records(
    import_: Import, paths: Collection[str], action: str, *, actor: User, reason: str, now: datetime
) -> list[dict[str, Any]]:
    """What is kept of each file: its digest, who did it, when, and what had been found in it."""
    if not paths:
        return []
    drafted = load_draft(import_)
    digests = {row.path: row.sha256 for row in _rows(import_, paths)}
    if drafted:
        digests = drafted.digests | {path: digest for path, digest in digests.items() if digest}
    placed = {cell["path"] for cell in import_.plan.get("stimuli", []) if cell.get("text") is None}
    findings: dict[str, list[dict[str, Any]]] = {path: [] for path in paths}
    for one in import_.report.get("findings", []):
        for path in one.get("files", []):
            if path in findings and one["severity"] != "note":
                findings[path].append({name: one[name] for name in ("sentence", "msgid", "data")})
    return [
        {
            "action": action,
            "path": path,
            "sha256": digests.get(path, ""),
            "by": actor.get_username(),
            "at": now.isoformat(timespec="seconds"),
            "reason": reason.strip()[:LONGEST_REASON],
            "found": findings[path],
            "is_placed": path in placed,
        }
        for path in paths
    ]


def _check_again(import_: Import, *, actor: User, now: datetime) -> Import:
    _put_off_expiry(import_, now)
    enter_state(import_, Import.State.CHECKING, actor=actor, action="import.checked_again")
    enqueue_job(check_import, import_, actor)
    return import_


def _receive_again(import_: Import, *, actor: User, now: datetime) -> None:
    _put_off_expiry(import_, now)
    enter_state(import_, Import.State.RECEIVING, actor=actor, action="import.reopened")


def _put_off_expiry(import_: Import, now: datetime) -> None:
    import_.expires_at = now + timedelta(days=settings.UPLOAD_EXPIRES_DAYS)
    import_.save(update_fields=["expires_at", "corrections"])
