"""History of an experiment for its owner and editors: who did what, when and why, out of the audit log."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from core.models import AuditEntry
from rating.models import Experiment

EDITED = "experiment.edited"
# What is said of each action. What was changed from and to stays in the log, since it may name a condition.
WORDS: Mapping[str, Any] = {
    "experiment.created": _("Created the experiment"),
    "experiment.copied": _("Created the experiment as a copy"),
    "experiment.read_from_file": _("Created the experiment from a file"),
    "experiment.carried_over": _("Created the experiment from files of another platform"),
    "experiment.imported": _("Created the experiment from a dataset"),
    EDITED: _("Changed settings"),
    "experiment.amended": _("Amended texts"),
    "experiment.options_changed": _("Changed options of the protocol"),
    "experiment.checks_changed": _("Changed the attention checks"),
    "session_settings.changed": _("Changed the settings of sessions"),
    "label_set.created": _("Added a label set"),
    "label_set.changed": _("Changed a label set"),
    "label_set.approved": _("Approved a label set"),
    "label_set.reopened": _("Made a label set a draft again"),
    "label_set.deleted": _("Deleted a label set"),
    "design.adopted": _("Applied a design"),
    "experiment.laid_out": _("Laid out the design of a file"),
    "experiment.extended": _("Added listeners"),
    "experiment.seats_removed": _("Removed seats and links"),
    "panel.created": _("Added a panel"),
    "panel.invited": _("Made links"),
    "panel.mailed": _("Sent invitations"),
    "experiment.reminded": _("Sent reminders"),
    "experiment.addresses_deleted": _("Deleted e-mail addresses"),
    "experiment.opened": _("Made a link for many"),
    "experiment.links_closed": _("Closed links"),
    "link.revoked": _("Revoked a link"),
    "experiment.rehearsed": _("Made a link to rehearse"),
    "experiment.simulated": _("Started a simulation"),
    "monitor_alert.changed": _("Changed an alert of the monitor"),
    "experiment.state_changed": _("Changed the state"),
    "experiment.unblinded": _("Unblinded the experiment"),
    "seat.reissued": _("Released a seat"),
    "seat.taken_on_paper": _("Took a seat for a listener on paper"),
    "seat.taken_by_workbook": _("Took a seat for a listener with a workbook"),
    "workbook.made": _("Made a workbook"),
    "ballot.entered_from_paper": _("Entered answers from paper"),
    "ballot.entered_from_workbook": _("Entered answers from a workbook"),
    "exclusion.made": _("Excluded answers"),
    "exclusion.lifted": _("Lifted an exclusion"),
    "metrics.uploaded": _("Uploaded a table of metrics"),
    "metrics.removed": _("Removed the table of metrics"),
    "completions.read": _("Read the completion codes"),
    "experiment.exported": _("Downloaded data"),
    "experiment.shared": _("Shared the experiment"),
    "experiment.unshared": _("Stopped sharing"),
    "experiment.transferred": _("Handed the experiment over"),
    "experiment.archived": _("Archived the experiment"),
    "experiment.unarchived": _("Took the experiment out of the archive"),
    "experiment.deleted": _("Moved the experiment to the bin"),
    "experiment.restored": _("Restored the experiment"),
}


def history_of(experiment: Experiment) -> QuerySet[AuditEntry]:
    """The entries about an experiment, newest first; also those under short names that it had before.

    A short name can have been another experiment's, so each name counts only for its time.
    """
    entries = AuditEntry.objects.filter(at__gte=experiment.created_at)
    own, slug, earlier = Q(), experiment.slug, Q()
    while renamed := entries.filter(earlier, action=EDITED, after__slug=slug).order_by("-pk").first():
        own |= Q(earlier, target=f"experiment/{slug}", pk__gt=renamed.pk)
        # The entry about a new name stands under the old one.
        own |= Q(pk=renamed.pk)
        slug, earlier = (renamed.before or {})["slug"], Q(pk__lt=renamed.pk)
    own |= Q(earlier, target=f"experiment/{slug}")
    return entries.filter(own).select_related("actor").order_by("-pk")


def told(entry: AuditEntry) -> dict[str, Any]:
    """An entry in words."""
    after = entry.after if isinstance(entry.after, dict) else {}
    detail = ""
    if entry.action == "experiment.state_changed" and after.get("state") in Experiment.State.values:
        detail = str(Experiment.State(after["state"]).label)
    if entry.action == "experiment.exported":
        detail = str(after.get("what", ""))
    return {
        "at": entry.at,
        "actor": entry.actor,
        "what": WORDS.get(entry.action, entry.action),
        "detail": detail,
        "reason": entry.reason,
    }
