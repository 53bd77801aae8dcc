"""Errors of the statistics of the plane."""

from core.errors import AppError
from core.i18n import gettext_noop as _


class TooFewRaters(AppError):
    code = "plane.too_few_raters"
    status = 422
    sentence = _(
        "The 95 % ellipse of a mean needs at least {least} raters, and there are {raters}: with fewer it would cover "
        "most of the plane. Look at the marks themselves and at their spread."
    )


class ColumnMissing(AppError):
    code = "plane.column_missing"
    status = 422
    sentence = _("'{name}' has no column '{column}'. Call a column {accepted}. The columns there are: {known}.")


class CellEmpty(AppError):
    code = "plane.cell_empty"
    status = 422
    sentence = _("'{name}', line {line}: '{column}' is empty. Fill it in, or take the line out.")


class ValueUnfit(AppError):
    code = "plane.value_unfit"
    status = 422
    sentence = _("'{name}', line {line}: '{column}' is '{value}', and {wanted}.")


class MarkTwice(AppError):
    code = "plane.mark_twice"
    status = 422
    sentence = _(
        "'{name}', lines {first} and {second}: rater '{rater}' has two marks for recording '{recording}' under "
        "condition '{condition}'. Keep one of them, or give conditions that differ in a parameter names that do."
    )


class SettingDiffers(AppError):
    code = "plane.setting_differs"
    status = 422
    sentence = _(
        "'{name}', lines {first} and {second}: condition '{condition}' has two different values of z or method. "
        "Give it the same in every line, or give the two conditions names of their own."
    )
