"""Paper form of the TC/SD plane: crosses read off a sheet, as the payload that the browser would have sent."""

from protocols.tcsd_plane.protocol import PLACES
from rating.protocol import Answer, Json, TrialPlan


def payload_of(answer: Answer, trial: TrialPlan) -> Json:
    """Say crosses on paper as crosses; on paper each one is decided, and no figure is seen while it is drawn."""
    if "example" in trial.detail:
        return {"seen": True, "finished": True}
    crosses: dict[str, dict[str, Json]] = {}
    for mark in answer.marks:
        crosses.setdefault(mark.slot, {"decided": True})[mark.scale.lower()] = round(mark.value, PLACES)
    moves = [
        {
            "slot": slot,
            "to": [crosses[slot]["tc"], crosses[slot]["sd"]] if slot in crosses else None,
            "decided": slot in crosses,
            "input": read_from,
            "plane_px": answer.detail.get("frame_px", 0) if read_from == "scan" else 0,
        }
        for slot, read_from in answer.detail.get("moved", {}).items()
    ]
    comment = answer.detail.get("comment", "")
    return {"crosses": crosses, "moves": moves, "comment": comment, "finished": answer.whole}
