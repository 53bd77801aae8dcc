"""What the evaluation of chapters refuses, and how it says so."""

from core.errors import AppError, sentence


class ChaptersUnreadable(AppError):
    code = "chapters.unreadable"
    status = 422
    sentence = sentence("'{file}' cannot be evaluated. Problems: {count}. The first is in {first}.")


class ChaptersOptionUnfit(AppError):
    code = "chapters.option"
    status = 422
    sentence = sentence("{option} cannot be '{value}'. {remedy}")


class ChaptersNotPaired(AppError):
    code = "chapters.not_paired"
    status = 422
    sentence = sentence(
        "'{file}' is not about the same items as '{first}': {problem}. "
        "Give the same recordings in the same order, with the same references and durations."
    )


class BertScoreMissing(AppError):
    code = "chapters.bertscore"
    status = 422
    sentence = sentence(
        "BERTScore cannot be computed: {problem}. Install the Python package bert-score beside Earmark, on a machine "
        "that has its language model or can fetch it; or ask for titles without BERTScore: ROUGE-L needs neither."
    )
