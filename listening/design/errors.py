"""Errors of designs: planning subsets, laying out orders, files of sequences, and adopting a design."""

from collections.abc import Sequence

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _

# --- Subsets ----------------------------------------------------------------------------------------------------------


class SubsetsNothing(AppError):
    code = "subsets.nothing"
    status = 422
    sentence = _(
        "{subsets} subsets of {size} items cannot be planned. Ask for at least one subset of at least one item."
    )


class SubsetsTooLarge(AppError):
    code = "subsets.too_large"
    status = 422
    sentence = _(
        "{subsets} disjoint subsets of {size} need {needed} items, and the pool has {pool}. {remedy} "
        "What there is and what would be needed: {cells}."
    )


class FactorUnknown(AppError):
    code = "subsets.factor_unknown"
    status = 422
    sentence = _("There is no column '{factor}'. The columns are: {known}.")


class FactorTwice(AppError):
    code = "subsets.factor_twice"
    status = 422
    sentence = _("The factor '{factor}' is named twice. Name each factor once.")


class ValueMissing(AppError):
    code = "subsets.value_missing"
    status = 422
    sentence = _("'{column}' is empty for {places}. Every item needs a name and a level of each factor.")


class ItemTwice(AppError):
    code = "subsets.item_twice"
    status = 422
    sentence = _("The item '{item}' is there twice: {places}. Keep one of them, or choose another column as the name.")


# --- Orders -----------------------------------------------------------------------------------------------------------


class PresetUnknown(AppError):
    code = "design.unknown_preset"
    status = 422
    sentence = _("There is no design preset '{slug}'. Known: {known}.")


class DesignIncomplete(AppError):
    code = "design.incomplete"
    status = 422
    sentence = _("A design cannot be laid out without {missing}.")


class NameRepeated(AppError):
    code = "design.repeated"
    status = 422
    sentence = _("'{name}' stands twice in {where}. Name everything once.")


class TooManySessions(AppError):
    code = "design.too_many_sessions"
    status = 422
    sentence = _(
        "The {showings} clips of panel {panel} do not fill {sessions} sessions. Ask for {showings} sessions at most."
    )


class ScaleOrdersDiffer(AppError):
    code = "design.scale_orders"
    status = 422
    sentence = _("The scale orders {orders} do not hold the same scales, each once. Give orders of one set of scales.")


# --- Files of sequences -----------------------------------------------------------------------------------------------


MOST_KEPT = 100  # problems that a error lists in its data; its sentence names three


class DesignFileUnreadable(AppError):
    code = "design.file_unreadable"
    status = 422
    sentence = _("'{name}' cannot be read as a seat's sequence: {problem}.")


class DesignRowsRefused(AppError):
    code = "design.rows_refused"
    status = 422
    sentence = _("'{name}' is no sequence for this experiment: {problems}. Nothing was imported.")

    @classmethod
    def listing(cls, name: str, problems: Sequence[LazyMessage]) -> "DesignRowsRefused":
        """Name the first problems in the sentence, and all of them, up to a limit, in the data."""
        rows = [str(problem) for problem in problems[:MOST_KEPT]]
        return cls(name=name, problems=_together(problems), count=len(problems), rows=rows)


def _together(problems: Sequence[LazyMessage]) -> LazyMessage:
    match problems:
        case [one]:
            return one
        case [one, two]:
            return LazyMessage("{one}; {two}", one=one, two=two)
        case [one, two, three]:
            return LazyMessage("{one}; {two}; {three}", one=one, two=two, three=three)
    one, two, three, *rest = problems
    return LazyMessage("{one}; {two}; {three}; and {count} more", one=one, two=two, three=three, count=len(rest))


# --- Designs of experiments -------------------------------------------------------------------------------------------


class NotDesignable(AppError):
    code = "design.not_for_protocol"
    status = 409
    sentence = _("{protocol} plans each seat by itself, so panels cannot be laid out together. Add panels instead.")


class NothingToDesign(AppError):
    code = "design.nothing"
    status = 409
    sentence = _("'{collection}' holds nothing to rate but references. Import items under test conditions first.")


class CellsMissing(AppError):
    code = "design.cells_missing"
    status = 409
    sentence = _(
        "Every item needs every condition, and {count} are missing: {cells}. Import them, or leave the condition out."
    )


class ConditionUnknown(AppError):
    code = "design.unknown_condition"
    status = 422
    sentence = _("The collection has no rated condition {names}. Known: {known}.")


class SeatsTaken(AppError):
    code = "design.seats_taken"
    status = 409
    sentence = _("{count} seats are taken already. A design can only be applied before the first listener starts.")


class DesignOvertaken(AppError):
    code = "design.overtaken"
    status = 409
    sentence = _("Another design was applied at the same time. Check it, and apply this one again if needed.")


class DesignOutdated(AppError):
    code = "design.outdated"
    status = 409
    sentence = _("The collection has changed since this preview. Preview the design again, then apply it.")


class DesignMissing(AppError):
    code = "design.missing"
    status = 409
    sentence = _("'{slug}' has no design. Make one on its page Design, or with generate_design or import_design.")


class PlanningTooLong(AppError):
    code = "design.too_long"
    status = 503
    sentence = _(
        "Balancing {items} items took longer than {seconds} s. Choose fewer factors, or use generate_design, "
        "which may take its time."
    )


class NoDesignFiles(AppError):
    code = "design.no_files"
    status = 422
    sentence = _("No file was given. Give one CSV or JSON file for each listener.")
