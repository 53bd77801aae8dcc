"""What the planning of subsets refuses, and how it says so."""

from core.errors import AppError, sentence


class SubsetsNothing(AppError):
    code = "subsets.nothing"
    status = 422
    sentence = sentence(
        "{subsets} subsets of {size} items cannot be planned. Ask for at least one subset of at least one item."
    )


class SubsetsTooLarge(AppError):
    code = "subsets.too_large"
    status = 422
    sentence = sentence(
        "{subsets} disjoint subsets of {size} need {needed} items, and the pool has {pool}. {remedy} "
        "What there is and what would be needed: {cells}."
    )


class FactorUnknown(AppError):
    code = "subsets.factor_unknown"
    status = 422
    sentence = sentence("There is no column '{factor}'. The columns are: {known}.")


class FactorTwice(AppError):
    code = "subsets.factor_twice"
    status = 422
    sentence = sentence("The factor '{factor}' is named twice. Name each factor once.")


class ValueMissing(AppError):
    code = "subsets.value_missing"
    status = 422
    sentence = sentence("'{column}' is empty for {places}. Every item needs a name and a level of each factor.")


class ItemTwice(AppError):
    code = "subsets.item_twice"
    status = 422
    sentence = sentence(
        "The item '{item}' is there twice: {places}. Keep one of them, or choose another column as the name."
    )
