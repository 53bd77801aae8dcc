"""Refusals of imports: files, layouts and tables that cannot be understood."""

from core.errors import AppError, sentence


class LayoutUnknown(AppError):
    code = "intake.layout_unknown"
    status = 422
    sentence = sentence("There is no layout '{layout}'. Choose one of {known}.")


class LayoutUnclear(AppError):
    code = "intake.layout_unclear"
    status = 422
    sentence = sentence(
        "It is not clear which stimuli the files are: {problem}. "
        "Sort them into one folder per condition, with the same file names in each, "
        "or add a manifest.csv with the columns path, item and condition."
    )


class LayoutUnfit(AppError):
    code = "intake.layout_unfit"
    status = 422
    sentence = sentence("The files do not fit the layout '{layout}': {problem}. Move them, or choose another layout.")


class NothingToImport(AppError):
    code = "intake.nothing"
    status = 422
    sentence = sentence("There is nothing to import: no sound, no Audacity project and no table of texts was found.")


class TableUnreadable(AppError):
    code = "table.unreadable"
    status = 422
    sentence = sentence(
        "The table '{name}' cannot be read: {problem}. Save it as CSV in UTF-8, or as XLSX with the table on sheet 1."
    )


class LinesUnreadable(AppError):
    code = "table.lines_unreadable"
    status = 422
    sentence = sentence("'{name}' cannot be read: {problem}. Give one JSON object per line, in UTF-8.")


class ProjectUnreadable(AppError):
    code = "project.unreadable"
    status = 422
    sentence = sentence(
        "The Audacity project '{name}' cannot be read: {problem}. "
        "Open it in Audacity 3, save it, close it, and give the .aup3 file; or export its clips as WAV."
    )


class ImportRefused(AppError):
    code = "intake.refused"
    status = 422
    sentence = sentence("Nothing was imported, because of {count} problems. The first: {first}")


class CellsTaken(AppError):
    code = "intake.cells_taken"
    status = 409
    sentence = sentence(
        "The collection holds {count} of these stimuli already ({cells}). "
        "Choose to replace them, or import under other names."
    )


class CollectionBusy(AppError):
    code = "collection.busy"
    status = 409
    sentence = sentence("Others kept changing the collection during this import, so nothing was imported; try again.")


class LevelsRefused(AppError):
    code = "levels.refused"
    status = 422
    sentence = sentence("The collection was not copied: {problem}.")
