"""What the layout of a design refuses, and how it says so."""

from core.errors import AppError, sentence


class PresetUnknown(AppError):
    code = "design.unknown_preset"
    status = 422
    sentence = sentence("There is no design preset '{slug}'. Known: {known}.")


class DesignIncomplete(AppError):
    code = "design.incomplete"
    status = 422
    sentence = sentence("A design cannot be laid out without {missing}.")


class NameRepeated(AppError):
    code = "design.repeated"
    status = 422
    sentence = sentence("'{name}' stands twice in {where}. Name everything once.")


class TooManySessions(AppError):
    code = "design.too_many_sessions"
    status = 422
    sentence = sentence(
        "The {showings} clips of panel {panel} do not fill {sessions} sessions. Ask for {showings} sessions at most."
    )


class ScaleOrdersDiffer(AppError):
    code = "design.scale_orders"
    status = 422
    sentence = sentence(
        "The scale orders {orders} do not hold the same scales, each once. Give orders of one set of scales."
    )
