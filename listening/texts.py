"""The sentences of the participant's live page; frontend/src/trial/texts.ts lists the same keys."""

from django.utils.translation import gettext as _


def visit_texts() -> dict[str, str]:
    """Return every sentence that the page's script may show, in the reader's language."""
    return {**_saving(), **_playing(), **_turns()}


def _saving() -> dict[str, str]:
    return {
        "saved": _("Saved"),
        "saved_at": _("Saved {time}"),
        "saving": _("Saving…"),
        "kept": _("Kept here ({count})"),
        "not_saved": _("Not saved: act"),
        "trouble_kept": _(
            "The server cannot be reached. Your answers are kept on this device and sent as soon as it can. "
            "You can go on while clips are ready; do not clear your browser."
        ),
        "trouble_session": _(
            "This browser no longer holds your place. "
            "Open your link again: your answers are kept here and will be sent."
        ),
        "trouble_storage": _(
            "This browser cannot keep answers, and the server cannot be reached. "
            "Leave this page open until it is saved."
        ),
        "trouble_refused": _("The server did not accept the last answer. The clip comes again."),
        "trouble_rejected": _(
            "The server could not read one of your answers. Copy your answers and send them to the experimenter."
        ),
        "copied": _("Copied."),
        "blocking": _("This browser cannot keep answers on this device, so each one is sent before the next clip."),
    }


def _playing() -> dict[str, str]:
    return {
        "where": _("Clip {position} of {total}"),
        "play": _("Play"),
        "play_again": _("Play again"),
        "loading": _("Getting the clip ready"),
        "loading_again": _("The clip did not arrive. Trying again."),
        "press_play": _("Press Play when you are ready."),
        "playing": _("Listen"),
        "opens_later": _("The scale opens when the clip has ended."),
        "rate_now": _("Now choose your answer."),
        "stopped": _("Stopped. Play the clip again to hear it whole."),
        "voided": _("The clip was interrupted. Play it again; this does not count against you."),
        "no_sound": _("Your browser keeps the sound off. Allow sound for this page, then press Play again."),
    }


def _turns() -> dict[str, str]:
    return {
        "conflict": _("This clip was already answered in another tab or on another device. That answer stands."),
        "moved_on": _("This clip was answered in another tab or on another device. Here is the next one."),
        "refused": _("The server did not accept the last answer. The clip comes again."),
        "waiting_for_network": _("Waiting for the server."),
        "refused_page": _("Some answers are missing. The page shows them again."),
    }
