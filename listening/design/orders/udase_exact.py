"""The published layout of the CHiME-7 UDASE listening test: all clips shuffled, the scale order tied to the panel."""

from core.clauses import clause
from listening.design.base import Design, DesignRequest, Preset, SeatSequence
from listening.design.orders.layout import anchoring, check_request, generator, in_sessions


class UdaseExact(Preset):
    """For comparison with published results; only the fifth session that the original makes of a remainder is left out.

    The original gives panels 1 and 2 one scale order first and panels 3 and 4 the other, so that scale order cannot be
    told from material, and it shuffles without constraint.
    """

    slug = "udase-exact"
    title = clause("UDASE exact")
    summary = clause(
        "As published for CHiME-7 UDASE: every listener hears all clips in an order of pure chance; the scale order "
        "goes with the panel and so with the items, conditions come unevenly in a session, and items follow themselves."
    )

    def lay_out(self, request: DesignRequest) -> Design:
        check_request(request)
        places = [(panel, seat) for panel in range(1, request.panels + 1) for seat in range(1, request.seats + 1)]
        return Design(self.slug, request, tuple(_sequence(request, panel, seat) for panel, seat in places))


def _sequence(request: DesignRequest, panel: int, seat: int) -> SeatSequence:
    start = (panel - 1) * len(request.scale_orders) // request.panels
    rng = generator(request, UdaseExact.slug, panel, seat)
    references = anchoring(request, start, rng)
    cells = [(item, condition) for item in request.subsets[panel - 1] for condition in request.conditions]
    rng.shuffle(cells)
    return SeatSequence(panel, seat, (*references, *in_sessions(request, cells, start)))
