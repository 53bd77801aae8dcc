"""Errors of imports that cross the sandbox or that several readers raise."""

from typing import Any

from core.errors import AppError
from core.i18n import gettext_noop as _


class TableUnreadable(AppError):
    """A table that cannot be read. A sandboxed child may raise it; it is built again from its name and data."""

    def __init__(self, *, name: str, problem: str, parts: Any = None) -> None:
        super().__init__(
            "table.unreadable",
            422,
            _(
                "The table '{name}' cannot be read: {problem}. "
                "Save it as CSV in UTF-8, or as XLSX with the table on sheet 1."
            ),
            name=name,
            problem=problem,
            **({"parts": parts} if parts else {}),
        )


def layout_unfit(*, layout: str, problem: str) -> AppError:
    return AppError(
        "import.layout_unfit",
        422,
        _("The files do not fit the layout '{layout}': {problem}. Move them, or choose another layout."),
        layout=layout,
        problem=problem,
    )
