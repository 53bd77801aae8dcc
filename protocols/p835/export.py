"""Export layout of P.835 as the P.808 toolkit has it: the order of its scales, and M, which combines two of them."""

from collections.abc import Mapping

SCALE_ORDER = ("BAK", "SIG", "OVRL")
COMBINED = "M"


def combined(row: Mapping[str, float]) -> float | None:
    """The mean of SIG and OVRL, each on a range from 0 to 1; None where one of them has no vote."""
    if not {"MOS_SIG", "MOS_OVRL"} <= row.keys():
        return None
    return ((row["MOS_SIG"] - 1) / 4 + (row["MOS_OVRL"] - 1) / 4) / 2
