"""Sessions: how far a visit is in each, how long the rest takes, and where a page stands in its own."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, F, FloatField, Min, Sum

from rating.models import UNANSWERED, Ballot
from rating.registry import get_protocol

SECONDS_TO_ANSWER = 5  # from the end of a clip to the start of the next, as lab listeners take
RECEIPT_DIGITS = 8

CLIP_S = F("slots__stimulus__recording__length_samples") * 1.0 / F("slots__stimulus__recording__sample_rate_hz")


def sessions_of(*, ballot: Ballot, afresh: bool = False) -> list[dict[str, Any]]:
    """One entry a session, in order; session 0 is practice. Afresh, it is all still to come, whatever was answered."""
    to_come = None if afresh else UNANSWERED
    listening_s = Sum(CLIP_S, filter=to_come, default=0.0, output_field=FloatField())
    sessions = ballot.trials.order_by().values("session")
    counted = sessions.annotate(total=Count("pk"), left=Count("pk", filter=to_come))
    seconds = dict(sessions.annotate(seconds=listening_s).values_list("session", "seconds"))
    page_s = get_protocol(ballot.experiment.protocol).page_s
    return [
        {
            "session": row["session"],
            "total": row["total"],
            "answered": row["total"] - row["left"],
            "seconds_left": round(
                seconds[row["session"]] + row["left"] * SECONDS_TO_ANSWER if page_s is None else row["left"] * page_s
            ),
        }
        for row in counted.order_by("session")
    ]


def add_places(*, ballot: Ballot, pages: Iterable[dict[str, Any]]) -> None:
    """Say on every page which one of its session it is."""
    rows = ballot.trials.order_by().values("session").annotate(first=Min("position"), total=Count("pk"))
    sessions = {row["session"]: row for row in rows}
    for page in pages:
        session = sessions[page["session"]]
        page["place"] = {"number": page["position"] - session["first"] + 1, "of": session["total"]}


def receipt(*, ballot: Ballot) -> str:
    """A short fingerprint of every answer that the server holds, to be written down at a break."""
    digits = ballot.chain[:RECEIPT_DIGITS].upper() if ballot.vote_count else ""
    return f"{digits[:4]}-{digits[4:]}" if digits else ""
