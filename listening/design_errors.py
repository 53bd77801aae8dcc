"""What the services of designs refuse, and how they say so."""

from core.errors import AppError, sentence


class NotDesignable(AppError):
    code = "design.not_for_protocol"
    status = 409
    sentence = sentence(
        "{protocol} plans each seat by itself, so panels cannot be laid out together. Add panels instead."
    )


class NothingToDesign(AppError):
    code = "design.nothing"
    status = 409
    sentence = sentence(
        "'{collection}' holds nothing to rate but references. Import items under test conditions first."
    )


class CellsMissing(AppError):
    code = "design.cells_missing"
    status = 409
    sentence = sentence(
        "Every item needs every condition, and {count} are missing: {cells}. Import them, or leave the condition out."
    )


class ConditionUnknown(AppError):
    code = "design.unknown_condition"
    status = 422
    sentence = sentence("The collection has no rated condition {names}. Known: {known}.")


class SeatsTaken(AppError):
    code = "design.seats_taken"
    status = 409
    sentence = sentence("{count} seats are taken already. A design is laid out before anybody listens.")


class DesignOvertaken(AppError):
    code = "design.overtaken"
    status = 409
    sentence = sentence(
        "Another design was laid out at the same time. Look at it, and lay this one out again if needed."
    )


class DesignOutdated(AppError):
    code = "design.outdated"
    status = 409
    sentence = sentence("The collection has changed since this design was tried. Try it again, then use it.")


class DesignMissing(AppError):
    code = "design.missing"
    status = 409
    sentence = sentence(
        "'{slug}' has no design. Make one on its page Design, or with generate_design or import_design."
    )


class PlanningTooLong(AppError):
    code = "design.too_long"
    status = 503
    sentence = sentence(
        "Sharing out {items} items took longer than {seconds} s. Choose fewer factors, or use generate_design, "
        "which may take its time."
    )


class NoDesignFiles(AppError):
    code = "design.no_files"
    status = 422
    sentence = sentence("No file was given. Give one CSV or JSON file for each listener.")
