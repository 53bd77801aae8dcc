"""Errors that participants meet: links, consent, visits, sounds, sound checks."""

from core.errors import AppError
from core.i18n import gettext_noop as _


class InvitationUnknown(AppError):
    code = "invitation.unknown"
    status = 404
    sentence = _("This link is not known here. Check that it was copied whole, or ask for a new one.")


class InvitationExpired(AppError):
    code = "invitation.expired"
    status = 410
    sentence = _("This link expired on {date}. Ask the experimenter for a new one.")


class NotOpen(AppError):
    code = "invitation.not_open"
    status = 409
    sentence = _("This listening test is not open at the moment. Try again later or ask the experimenter.")


class PanelFull(AppError):
    code = "invitation.full"
    status = 409
    sentence = _("All places in your group are taken. Thank you for wanting to take part.")


class AddressCrowded(AppError):
    code = "invitation.crowded"
    status = 429
    sentence = _(
        "{count} people have begun from your network and not answered yet. Try again in a few minutes, when some of "
        "them have, or from another network."
    )


class SeatElsewhere(AppError):
    code = "seat.elsewhere"
    status = 409
    sentence = _(
        "This test was begun in another browser under the number that you came with. Go on there, or type the code "
        "that was shown there after you agreed."
    )


class ResumeCodeUnknown(AppError):
    code = "seat.resume_code"
    status = 422
    sentence = _("No place in this test has this code. It has 12 letters and digits, and no 0, 1, I or O.")


class ConsentMissing(AppError):
    code = "consent.missing"
    status = 422
    sentence = _("Tick the box to agree before you start; nothing is recorded until then.")


class VisitUnknown(AppError):
    code = "visit.unknown"
    status = 401
    sentence = _("This browser no longer holds your place. Open your link again: everything you did is kept.")


class SeatAbandoned(AppError):
    code = "visit.abandoned"
    status = 410
    sentence = _("Your place was given to somebody else. Everything you did is kept. Thank you for taking part.")


class OtherGroup(AppError):
    code = "seat.other_group"
    status = 409
    sentence = _(
        "In this study some people make what others judge, and you have taken part in the other group. Thank you: "
        "please leave this place to somebody else."
    )


class VisitIncomplete(AppError):
    code = "visit.incomplete"
    status = 409
    sentence = _("{missing} answers have not reached the server yet. They are needed for a receipt.")


class PageClosed(AppError):
    code = "media.page_closed"
    status = 410
    sentence = _("This sound belongs to a page that is not open now. Go on with the page that is.")


class MediaUnknown(AppError):
    code = "media.unknown"
    status = 404
    sentence = _("There is no such sound in this visit. Reload the page to continue where you are.")


class MediaExpired(AppError):
    code = "media.expired"
    status = 410
    sentence = _("This sound's address has expired. The page asks for a fresh one; reload it if it does not.")


class SetupAnswersWrong(AppError):
    code = "setup.invalid"
    status = 422
    sentence = _("This is no outcome of the check: {problem}")


class SetupSoundUnknown(AppError):
    code = "setup.sound_unknown"
    status = 404
    sentence = _("There is no such sound among the checks. Reload the page to do the check again.")
