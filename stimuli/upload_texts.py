"""The sentences of the page that sends files; frontend/src/upload/screen.ts lists the same keys."""

from django.utils.translation import gettext as _


def upload_texts() -> dict[str, str]:
    """Return every sentence that the page's script may show, in the reader's language."""
    return {**_states(), **_totals(), **_troubles()}


def _states() -> dict[str, str]:
    return {
        "state_waiting": _("Waiting"),
        "state_sending": _("Sending"),
        "state_retrying": _("Trying again"),
        "state_paused": _("Paused"),
        "state_done": _("Arrived"),
        "state_absent": _("Choose it again"),
        "state_failed": _("Not sent"),
        "and_more": _("and {count} more"),
        "pause": _("Pause"),
        "resume": _("Go on"),
        "remove": _("Leave out"),
        "announcing": _("Announcing the files to the server"),
        "reading": _("Reading the folder: {count} files"),
        "ignored": _("{count} hidden files of the system were left out."),
    }


def _totals() -> dict[str, str]:
    return {
        "total": _("{done} of {files} files, {sent} of {size}"),
        "speed": _("{speed} a second"),
        "left": _("about {time} left"),
        "seconds": _("{n} s"),
        "minutes": _("{n} min"),
        "hours": _("{hours} h {minutes} min"),
        "said_progress": _("{percent} percent sent"),
        "said_arrived": _("Everything has arrived. You can have the files checked now."),
        "said_paused": _("Sending is paused."),
        "said_resumed": _("Sending goes on."),
    }


def _troubles() -> dict[str, str]:
    return {
        "trouble_network": _("The server cannot be reached. Sending goes on by itself as soon as it can."),
        "trouble_session": _("You are no longer signed in. Sign in again in another tab; sending then goes on here."),
        "trouble_disk": _("The server's disk is full. What has arrived is kept; sending goes on once there is room."),
        "trouble_gone": _("This import has expired or was cancelled. Begin a new one."),
        "trouble_absent": _(
            "{count} files are not here any more, because the page was loaded again. "
            "Drop or choose them once more: what has arrived already is not sent again."
        ),
        "trouble_unreadable": _("The browser cannot read '{path}' any more. Choose it again."),
        "trouble_changed": _("'{path}' has changed since it was announced. Cancel this import and begin a new one."),
        "trouble_nothing": _("There are no files in what you dropped."),
        "trouble_unknown": _("{count} of these files are new to this import and were added to it."),
    }
