"""What listening refuses, and how it says so."""

from core.errors import AppError, sentence


class PanelUnknown(AppError):
    code = "panel.unknown"
    status = 404
    sentence = sentence("The experiment has no panel {number}.")


class InvitationUnknown(AppError):
    code = "invitation.unknown"
    status = 404
    sentence = sentence("This link is not known here. Check that it was copied whole, or ask for a new one.")


class InvitationExpired(AppError):
    code = "invitation.expired"
    status = 410
    sentence = sentence("This link expired on {date}. Ask the experimenter for a new one.")


class NotOpen(AppError):
    code = "invitation.not_open"
    status = 409
    sentence = sentence("This listening test is not open at the moment. Try again later or ask the experimenter.")


class PanelFull(AppError):
    code = "invitation.full"
    status = 409
    sentence = sentence("All places in your group are taken. Thank you for wanting to take part.")


class ConsentMissing(AppError):
    code = "consent.missing"
    status = 422
    sentence = sentence("Tick the box to agree before you start; nothing is recorded until then.")


class VisitUnknown(AppError):
    code = "visit.unknown"
    status = 401
    sentence = sentence("This browser no longer holds your place. Open your link again: everything you did is kept.")


class VisitIncomplete(AppError):
    code = "visit.incomplete"
    status = 409
    sentence = sentence("{missing} answers have not reached the server yet. They are needed for a receipt.")


class MediaUnknown(AppError):
    code = "media.unknown"
    status = 404
    sentence = sentence("There is no such sound in this visit. Reload the page to continue where you are.")


class MediaExpired(AppError):
    code = "media.expired"
    status = 410
    sentence = sentence("This sound's address has expired. The page asks for a fresh one; reload it if it does not.")
