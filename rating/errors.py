"""Errors of experiments, ballots and votes."""

from core.errors import AppError
from core.i18n import gettext_noop as _


class UnknownProtocol(AppError):
    code = "experiment.unknown_protocol"
    status = 422
    sentence = _("There is no protocol called '{slug}'. Known: {known}.")


class UnknownLabelSet(AppError):
    code = "experiment.unknown_label_set"
    status = 422
    sentence = _("The protocol has no label set called '{label_set}'. Known: {known}.")


class UnknownOption(AppError):
    code = "experiment.unknown_option"
    status = 422
    sentence = _("The protocol has no option called '{option}'. Known: {known}.")


class OptionsFixed(AppError):
    code = "experiment.options_fixed"
    status = 409
    sentence = _(
        "The experiment has seats, and their pages were drawn with the options as they are. "
        "Make a new experiment and set its options before you add a panel."
    )


class SlugTaken(AppError):
    code = "experiment.slug_taken"
    status = 409
    sentence = _("Another experiment is already called '{slug}'. Choose another short name.")


class ExperimentNotFound(AppError):
    code = "experiment.not_found"
    status = 404
    sentence = _("There is no experiment '{slug}' among those you may see.")


class WrongState(AppError):
    code = "experiment.wrong_state"
    status = 409
    sentence = _("The experiment is {state}; this needs it to be {needed}.")


class LabelSetIsDraft(AppError):
    code = "experiment.label_set_draft"
    status = 409
    sentence = _("The label set '{label_set}' is a draft. A draft cannot go live; choose a reviewed one.")


class NoStimuli(AppError):
    code = "experiment.no_stimuli"
    status = 409
    sentence = _("The collection '{collection}' holds no stimuli to rate. Import some first.")


class ExperimentWithoutSeats(AppError):
    code = "experiment.no_seats"
    status = 409
    sentence = _("The experiment has no seats. Add a panel or apply a design, then go live.")


class ExperimentBusy(AppError):
    code = "experiment.busy"
    status = 409
    sentence = _(
        "The job {job} is still at work on this experiment. Going live now would discard what it makes; wait until it "
        "is done."
    )


class AnswersExist(AppError):
    code = "experiment.answers_exist"
    status = 409
    sentence = _("{count} answers have come in, so the experiment cannot be a draft again. Pause or close it instead.")


class DesignChanged(AppError):
    code = "experiment.design_changed"
    status = 409
    sentence = _(
        "The collection has changed since the experiment went live. Make a new experiment for the changed material."
    )


class ReasonMissing(AppError):
    code = "experiment.reason_missing"
    status = 422
    sentence = _("Say why: the reason is kept in the audit log and shown with the data.")


class ColleagueUnknown(AppError):
    code = "experiment.colleague_unknown"
    status = 422
    sentence = _("There is no account called '{name}'. Ask your colleague for the name they sign in with.")


class UnknownTrial(AppError):
    code = "vote.unknown_trial"
    status = 404
    sentence = _("This page is not part of your test. Reload it to continue where you are.")


class SoundNotFetched(AppError):
    code = "vote.sound_not_fetched"
    status = 409
    sentence = _("The sound of this page was never fetched. Fetch it, listen to it, and send the answer again.")


class AnswerTooLarge(AppError):
    code = "vote.too_large"
    status = 413
    sentence = _("The answer holds more than {most} bytes, which is more than any answer to this page needs.")


class TooManyAnswers(AppError):
    code = "vote.too_many"
    status = 409
    sentence = _("This page has been answered {most} times and takes no further answer. The last one counts.")


class BallotFull(AppError):
    code = "vote.ballot_full"
    status = 409
    sentence = _(
        "The answers of this seat hold {most_mb} MB, and no more are taken. Everything up to here is kept; "
        "please tell the experimenter."
    )


class KeyReused(AppError):
    code = "vote.key_reused"
    status = 422
    sentence = _("This answer's id was already used for another answer. Every answer needs an id of its own.")


class NoConsent(AppError):
    code = "vote.no_consent"
    status = 409
    sentence = _("No answer is taken before consent. Open your link again and agree first.")


class BallotClosed(AppError):
    code = "visit.finished"
    status = 409
    sentence = _("This test is finished and its receipt issued; its answers no longer change.")


class BallotAbandoned(AppError):
    code = "visit.given_away"
    status = 409
    sentence = _("This place was given to somebody else; this answer is kept, and does not count.")


class NotRevisable(AppError):
    code = "visit.not_revisable"
    status = 409
    sentence = _("This test goes from page to page: answers that were given cannot be opened again.")
