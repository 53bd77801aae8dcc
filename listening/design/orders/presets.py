"""The presets by their slugs, the default first."""

from listening.design.base import Preset
from listening.design.orders.crossed import Crossed
from listening.design.orders.errors import PresetUnknown
from listening.design.orders.udase_exact import UdaseExact

PRESETS: dict[str, Preset] = {made.slug: made for made in (Crossed(), UdaseExact())}
DEFAULT = Crossed.slug


def preset(slug: str) -> Preset:
    if slug not in PRESETS:
        raise PresetUnknown(slug=slug, known=", ".join(PRESETS))
    return PRESETS[slug]
