"""Copies of consent texts as PDF: for the person who agreed, and for the experimenter."""

from django.template.loader import render_to_string
from django.utils.translation import gettext_noop as _
from django.utils.translation import override

from core.errors import AppError
from core.pdf import can_write_pdf, write_short_pdf
from rating.models import Ballot, Consent, Experiment, TextVersion
from rating.services.texts import TEXTS


def consent_to_copy(ballot: Ballot) -> Consent | None:
    """The consent of which a page can offer a copy; none where the server cannot write PDF."""
    return ballot.consent if can_write_pdf() else None


def copy_for_participant(ballot: Ballot) -> bytes:
    """The text that was agreed to at this seat, in the language in which it was read, with the time."""
    consent = Consent.objects.select_related("text_version").get(ballot=ballot)
    return _written(consent.text_version, language=consent.language, consent=consent)


def copy_for_experimenter(experiment: Experiment, *, number: int | None = None) -> bytes:
    """The present text, or that of a version which listeners could read."""
    if number is None:
        last = experiment.text_versions.last()
        unchanged = last and all(getattr(last, name) == getattr(experiment, name) for name in TEXTS)
        return _written(last if last and unchanged else experiment, language=experiment.language)
    version = experiment.text_versions.filter(number=number, published_at__isnull=False).first()
    if version is None:
        raise AppError(
            "experiment.unknown_text_version", 404, _("There is no published version {number}."), number=number
        )
    return _written(version, language=experiment.language)


def _written(texts: TextVersion | Experiment, *, language: str, consent: Consent | None = None) -> bytes:
    context = {
        "texts": texts,
        "version": texts if isinstance(texts, TextVersion) else None,
        "consent": consent,
        "date": consent.created_at if consent else None,
    }
    with override(language):
        return write_short_pdf(render_to_string("rating/consent_file.html", context))
