"""What is refused about workbooks, and how it is said; doubtful cells are findings, not refusals."""

from core.errors import AppError, sentence


class WorkbookNotOffered(AppError):
    code = "workbook.not_offered"
    status = 409
    sentence = sentence("This protocol has no workbook. Its answers are given on the listener's own page.")


class WorkbookTooLarge(AppError):
    code = "workbook.too_large"
    status = 413
    sentence = sentence(
        "The file is larger than {size} MB, which no workbook is. Send the one that was downloaded for this seat."
    )


class WorkbookConsentMissing(AppError):
    code = "workbook.no_consent"
    status = 422
    sentence = sentence(
        "Nobody has agreed to take part in this seat yet. Tick the box once you hold the consent, and send the file "
        "again."
    )


class SeatNotTaken(AppError):
    code = "workbook.not_taken"
    status = 409
    sentence = sentence("Nobody has this seat yet. Enter a workbook that came back first.")
