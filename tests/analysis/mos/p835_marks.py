"""Marks of a test in the published shape, drawn with a fixed generator: 4 panels of 8 listeners, 32 items a panel."""

import json
from typing import Any

import numpy as np
import pandas as pd

from analysis.method import COLUMNS

ORDERS = ("SIG-BAK-OVRL", "BAK-SIG-OVRL")
SCALES = ("SIG", "BAK", "OVRL")


def p835_marks(
    seed: int, *, panels: int = 4, listeners: int = 8, items: int = 32, conditions: int = 5, references: int = 4
) -> pd.DataFrame:
    """One row a mark: practice first, then four sessions whose second half asks in the other order."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for panel in range(1, panels + 1):
        for seat in range(listeners):
            practice = [(f"talker {n}", f"ref{n}", "reference") for n in range(references)]
            heard = [(f"p{panel}i{n:02d}", f"C{c}", "test") for n in range(items) for c in range(conditions)]
            shuffled = [heard[n] for n in rng.permutation(len(heard))]
            for place, (item, condition, role) in enumerate([*practice, *shuffled]):
                tested = place - references
                session = 0 if tested < 0 else 1 + tested * 4 // len(heard)
                order = ORDERS[(seat + session // 3) % 2]
                for part, scale in enumerate(order.split("-"), start=1):
                    rows.append(
                        {
                            "listener": f"p{panel}s{seat}",
                            "panel": panel,
                            "session": session,
                            "position": 3 * place + part,
                            "item": item,
                            "condition": condition,
                            "condition_role": role,
                            "scale": scale,
                            "value": float(rng.integers(1, 6)),
                            "kind": "practice" if tested < 0 else "test",
                            "part": part,
                            "order": order,
                            "factors": json.dumps({"place": "ab"[int(item[-1]) % 2]}),
                        }
                    )
    return pd.DataFrame(rows, columns=[*COLUMNS, "part", "order"])
