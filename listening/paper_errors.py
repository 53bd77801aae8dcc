"""What is refused about answers on paper, and how it is said."""

from core.errors import AppError, sentence


class PaperNotOffered(AppError):
    code = "paper.not_offered"
    status = 409
    sentence = sentence("This protocol has no version for paper. Its answers are given on the listener's own page.")


class SeatOnline(AppError):
    code = "paper.seat_online"
    status = 409
    sentence = sentence(
        "Seat {seat} was taken by somebody who answers online. Choose another seat, or give this one away first."
    )


class PaperConsentMissing(AppError):
    code = "paper.no_consent"
    status = 422
    sentence = sentence("Tick the box once you hold the signed consent; nothing is entered before that.")


class SheetUnknown(AppError):
    code = "paper.sheet_unknown"
    status = 404
    sentence = sentence("The seat has {count} recordings and no recording {number}. Choose one of its recordings.")


class SheetChanged(AppError):
    code = "paper.sheet_changed"
    status = 409
    sentence = sentence("This sheet was saved in the meantime. It is shown as it stands now; enter your change again.")


class SheetsOpen(AppError):
    code = "paper.sheets_open"
    status = 409
    sentence = sentence("{count} recordings of this seat are still open. Close each of them, then finish the seat.")
