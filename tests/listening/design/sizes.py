"""Requests for designs of any size, and the one that was published."""

from listening.design.base import LayoutRequest, ScaleOrder

SIG_FIRST: ScaleOrder = ("SIG", "BAK", "OVRL")
BAK_FIRST: ScaleOrder = ("BAK", "SIG", "OVRL")


def asked(
    *,
    items: int = 32,
    conditions: int = 5,
    seats: int = 8,
    panels: int = 4,
    sessions: int = 4,
    references: int = 0,
    orders: tuple[ScaleOrder, ...] = (SIG_FIRST, BAK_FIRST),
    seed: str = "0",
) -> LayoutRequest:
    return LayoutRequest(
        subsets=[[f"p{panel}-{item}" for item in range(items)] for panel in range(panels)],
        conditions=[f"C{condition}" for condition in range(conditions)],
        seats=seats,
        sessions=sessions,
        references=[(f"i{number // 4 + 1:02}_{number % 4}", "ref") for number in range(references)],
        scale_orders=orders,
        seed=seed,
    )


def udase(seed: str = "0") -> LayoutRequest:
    """4 panels of 8 listeners, 32 items under 5 conditions in 4 sessions, 48 reference stimuli."""
    return asked(references=48, seed=seed)
