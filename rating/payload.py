"""Checks of payload parts, for protocols that ask for more than numbers; each returns the part or rejects it."""

from collections.abc import Collection, Mapping, Sequence

from rating.protocol import InvalidAnswer, Json


def require_object(value: Json, name: str, *, keys: Collection[str], needs: Collection[str] = ()) -> Mapping[str, Json]:
    """An object that has all it needs and nothing that is not asked for."""
    if not isinstance(value, dict):
        raise InvalidAnswer(problem=f"{name} is an object with {', '.join(keys)}.")
    unknown = sorted(str(key)[:40] for key in value.keys() - set(keys))
    missing = sorted(set(needs) - value.keys())
    if unknown or missing:
        wrong = f"without {', '.join(unknown[:5])}" if unknown else f"and lacks {', '.join(missing)}"
        raise InvalidAnswer(problem=f"{name} is an object with {', '.join(keys)}, {wrong}.")
    return value


def require_list(value: Json, name: str, *, most: int) -> list[Json]:
    if not isinstance(value, list) or len(value) > most:
        raise InvalidAnswer(problem=f"{name} is a list of at most {most}.")
    return value


def require_text(value: Json, name: str, *, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise InvalidAnswer(problem=f"{name} is a text of at most {longest} letters.")
    return value


def require_number(value: Json, name: str, *, least: float = 0, most: float) -> float:
    """A finite number; the comparison comes first, because an integer of 400 digits fits no float."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InvalidAnswer(problem=f"{name} is a number from {least:g} to {most:g}.")
    return float(value)


def require_integer(value: Json, name: str, *, least: int = 0, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidAnswer(problem=f"{name} is a whole number from {least} to {most}.")
    return value


def require_bool(value: Json, name: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidAnswer(problem=f"{name} is true or false.")
    return value


def require_choice(value: Json, name: str, *, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise InvalidAnswer(problem=f"{name} is one of {', '.join(known)}.")
    return value
