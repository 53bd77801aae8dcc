"""Upload server without verification: it takes the length of a piece from its headers and never looks at the file.

gunicorn serves this module in the control of the cut tests.
"""

from typing import Any

import config.wsgi
from core.errors import AppError
from stimuli.models import ImportFile
from stimuli.services import uploads
from stimuli.uploads.files import PartialFile

write = uploads._write


def trust_the_header(partial: PartialFile, incoming: uploads.Incoming) -> tuple[int, AppError | None]:
    write(partial, incoming)
    return incoming.offset + incoming.byte_count, None


def trust_the_row(upload: ImportFile, partial: PartialFile) -> ImportFile:
    return ImportFile.objects.select_related("parent").get(pk=upload.pk)


uploads._write = trust_the_header
uploads._settle_row = trust_the_row
application: Any = config.wsgi.application
