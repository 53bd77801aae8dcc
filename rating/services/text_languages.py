"""Languages of an experiment's own texts: which were written before its language was changed, and not adapted since."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import get_language_info, gettext

from rating.models import Experiment
from rating.services.texts import standard_consent

OWN_TEXTS = ("consent_text", "instructions", "debrief")
QUESTION = "question "  # before the key of an own question


def follow_language(experiment: Experiment, before: dict[str, Any]) -> None:
    """Fit the texts to a change of the experiment, whose fields `before` holds as they were, and nothing is saved yet.

    The standard consent text changes with the language. What a person has written stays, and is noted with the language
    in which it was written, until it is changed or the language is changed back.
    """
    language = before.get("language", experiment.language)
    if language != experiment.language and experiment.consent_text == standard_consent(language):
        before.setdefault("consent_text", experiment.consent_text)
        experiment.consent_text = standard_consent(experiment.language)
    earlier, known = _own(experiment, before), experiment.unadapted_texts
    kept = [name for name, text in _own(experiment, {}).items() if earlier.get(name) == text]
    languages = {name: known.get(name, language) for name in kept}
    experiment.unadapted_texts = {name: code for name, code in languages.items() if code != experiment.language}


def _own(experiment: Experiment, before: Mapping[str, Any]) -> dict[str, Any]:
    """Every text that a person has written, by name; of an own question, the whole definition."""
    texts = {name: before.get(name, getattr(experiment, name)) for name in OWN_TEXTS}
    questions = before.get("questions", experiment.questions)
    own = {f"{QUESTION}{question['key']}": question for question in questions if not question.get("ready")}
    return {name: text for name, text in texts.items() if text} | own


def text_warnings(experiment: Experiment) -> list[str]:
    """What the settings hold in another language than that of the participants' pages."""
    words = {
        "consent_text": gettext("the consent text"),
        "instructions": gettext("the instructions"),
        "debrief": gettext("the debrief"),
    }
    return _warning(experiment, {name: words[name] for name in OWN_TEXTS if name in experiment.unadapted_texts})


def question_warnings(experiment: Experiment) -> list[str]:
    """The same of own questions, each by its key."""
    names = (name for name in experiment.unadapted_texts if name.startswith(QUESTION))
    return _warning(
        experiment,
        {name: gettext("the question %(key)s") % {"key": name.removeprefix(QUESTION)} for name in sorted(names)},
    )


def _warning(experiment: Experiment, texts: Mapping[str, str]) -> list[str]:
    if not texts:
        return []
    said = gettext("Participants' pages are in %(pages)s, but these are still in %(other)s: %(texts)s.")
    other = _names(experiment.unadapted_texts[name] for name in texts)
    return [said % {"pages": _names([experiment.language]), "other": other, "texts": ", ".join(texts.values())}]


def _names(codes: Iterable[str]) -> str:
    return ", ".join(sorted({gettext(get_language_info(code)["name"]) for code in codes}))
