"""Errors that experimenters meet: panels, seats, session settings, paper and workbooks."""

from core.errors import AppError
from core.i18n import gettext_noop as _

# --- Panels, seats and session settings -------------------------------------------------------------------------------


class PanelUnknown(AppError):
    code = "panel.unknown"
    status = 404
    sentence = _("The experiment has no panel {number}.")


class UnknownGroup(AppError):
    code = "panel.group_unknown"
    status = 400
    sentence = _("The protocol has no group of people called {group}. Use one of: {known}.")


class PanelFilling(AppError):
    code = "panel.filling"
    status = 409
    sentence = _("The seats of panel {number} are still being created. Create links when all seats are ready.")


class SeatUnknown(AppError):
    code = "seat.unknown"
    status = 404
    sentence = _("Panel {panel} has no seat {seat}. Choose one of its seats.")


class SeatNotTaken(AppError):
    code = "seat.not_taken"
    status = 409
    sentence = _("Seat {seat} is not taken. Only a seat that is taken and not finished can be released.")


class SeatsDesigned(AppError):
    code = "seat.designed"
    status = 409
    sentence = _(
        "The seats of this experiment were laid out together, and one more would break the balance. "
        "Make a new design, or give a seat that was left to somebody else."
    )


class NoSeats(AppError):
    code = "seat.none"
    status = 409
    sentence = _("The experiment has no seats yet. Add a panel or apply a design first.")


class SessionUnknown(AppError):
    code = "preview.session"
    status = 422
    sentence = _("The seat's plan has no page from session {session} on. Choose a session from {first} to {last}.")


class CompletionUrlUnfit(AppError):
    code = "session_settings.completion_url"
    status = 422
    sentence = _(
        "The redirect URL must begin with https:// and have at most {most} characters. "
        "Write {{code}} where the completion code belongs."
    )


# --- Paper ------------------------------------------------------------------------------------------------------------


class PaperNotOffered(AppError):
    code = "paper.not_offered"
    status = 409
    sentence = _("This protocol has no version for paper. Its answers are given on the listener's own page.")


class SeatOnline(AppError):
    code = "paper.seat_online"
    status = 409
    sentence = _(
        "Seat {seat} was taken by somebody who answers online. Choose another seat, or give this one away first."
    )


class PaperConsentMissing(AppError):
    code = "paper.no_consent"
    status = 422
    sentence = _("Tick the box once you hold the signed consent; nothing is entered before that.")


class SheetUnknown(AppError):
    code = "paper.sheet_unknown"
    status = 404
    sentence = _("The seat has {count} recordings and no recording {number}. Choose one of its recordings.")


class SheetChanged(AppError):
    code = "paper.sheet_changed"
    status = 409
    sentence = _("This sheet was saved in the meantime. It is shown as it stands now; enter your change again.")


class SheetsOpen(AppError):
    code = "paper.sheets_open"
    status = 409
    sentence = _("{count} recordings of this seat are still open. Close each of them, then finish the seat.")


# --- Workbooks --------------------------------------------------------------------------------------------------------


class WorkbookNotOffered(AppError):
    code = "workbook.not_offered"
    status = 409
    sentence = _("This protocol has no workbook. Its answers are given on the listener's own page.")


class WorkbookTooLarge(AppError):
    code = "workbook.too_large"
    status = 413
    sentence = _(
        "The file is larger than {size} MB, which no workbook is. Send the one that was downloaded for this seat."
    )


class WorkbookConsentMissing(AppError):
    code = "workbook.no_consent"
    status = 422
    sentence = _(
        "Nobody has agreed to take part in this seat yet. Tick the box once you hold the consent, and send the file "
        "again."
    )


class WorkbookSeatOpen(AppError):
    code = "workbook.not_taken"
    status = 409
    sentence = _("Nobody has this seat yet. Enter a workbook that came back first.")
