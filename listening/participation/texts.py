"""Texts of the participant's trial page; frontend/src/trial/texts.ts lists the same keys."""

from django.utils.translation import gettext as _


def visit_texts() -> dict[str, str]:
    """Return every sentence that the page's script may show, in the reader's language."""
    return {**_saving(), **_playing(), **_turns(), **_resting(), **_setting_up()}


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
        "where": _("Clip {clip} of {clips}"),
        "where_session": _("Session {session} of {sessions}, clip {clip} of {clips}"),
        "where_practice": _("Practice, clip {clip} of {clips}"),
        "part": _("Playing {part} of {parts}"),
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
        "worked_elsewhere": _(
            "This page was changed in another tab or on another device. It is shown again as it stands there."
        ),
        "refused": _("The server did not accept the last answer. The clip comes again."),
        "waiting_for_network": _("Waiting for the server."),
        "refused_page": _("Some answers are missing. The page shows them again."),
        "reopened": _("Choose another answer, then go on."),
        "postponed": _("Thank you. The clip comes again at the end of this session."),
        "skipped": _("The clip failed twice and is left out. This is not your fault."),
        "too_many_skipped": _(
            "Too many clips have failed here, so this one is not left out. Open your link on another device or in "
            "another browser, or write to the experimenter. Everything you answered is kept."
        ),
        "device_changed": _("Your sound device changed. Set the level again, then go on."),
    }


def _resting() -> dict[str, str]:
    return {
        "order_title": _("The order changes"),
        "order_from_now": _("From now on you rate the {first} first, then the {second}."),
        "review_page": _("Part {session}, page {number} of {of}"),
        "rest_title": _("Rest your ears"),
        "rest_safe": _("{answered} answers are safe on the server."),
        "rest_next": _("Next: session {session} of {sessions}, about {minutes} min."),
        "rest_tab": _("Break, {left} left"),
    }


def _setting_up() -> dict[str, str]:
    return {
        "ears_title": _("Left and right"),
        "ears_advice": _("Put your headphones on, left on left. You will hear three short sounds."),
        "ears_again": _(
            "That did not fit. Look for L and R on your headphones, push the plug in all the way, and turn off "
            "“mono audio” in the sound settings. Then try once more."
        ),
        "ears_question": _("In which ear was the sound?"),
        "ear_left": _("Left"),
        "ear_both": _("Both"),
        "ear_right": _("Right"),
        "headphones_title": _("Headphones"),
        "headphones_advice": _(
            "Each sound is three parts of noise. A faint tone hides in one of them; only headphones let it be heard."
        ),
        "headphones_again": _(
            "That was not clear. Here is another way to find out: make sure that both sides sound, then try this one."
        ),
        "headphones_question": _("Which part had the hidden tone?"),
        "antiphase": _("Which of the three tones was the softest?"),
        "round": _("{round} of {rounds}"),
    }
