"""A palette of soundscapes in which nothing sounds, for demos of which the sound is not looked at."""

from collections.abc import Mapping

from listening.demos.soundscape.palette import KINDS, Kind, Palette, make_palette, scene


def quiet_palette(kinds: Mapping[str, Kind] = KINDS) -> Palette:
    """Air in every scene: what sounds in a scene decides nothing then, and to make it takes long."""
    made = make_palette({"hush": KINDS["hush"]})
    names = [scene(name, variant) for name, kind in kinds.items() for variant in range(kind.variants)]
    return made | dict.fromkeys(names, made[scene("hush", 0)])
