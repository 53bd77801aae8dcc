"""The two recordings of the demo: a whole day in a small town, and a morning in the country as the example."""

from listening.demos.soundscape.programmes import Presence, Programme

DAY = Programme(
    name="A",
    first_hour=0,
    hours=24,
    has_bell=True,
    presences={
        "hush": (Presence(2, 3.2, 10), Presence(12, 4, 1.2)),
        "wind": (Presence(3.5, 0.9, 6), Presence(16, 1.5, 1.5)),
        "owl": (Presence(1, 1.2, 1.0),),
        "chorus": (Presence(5.1, 0.6, 25),),
        "rooster": (Presence(5.8, 0.6, 2),),
        "birds": (Presence(8, 2.5, 4), Presence(18.5, 1.2, 4)),
        "dog": (Presence(9.5, 1, 0.6), Presence(20, 1, 0.8)),
        "car": (Presence(7, 1.0, 4), Presence(13, 4, 1.5), Presence(20, 1.5, 3)),
        "traffic": (Presence(8, 0.6, 18), Presence(17.3, 0.8, 16)),
        "siren": (Presence(15.8, 1.0, 0.6),),
        "steps": (Presence(9, 1, 1), Presence(19, 1.5, 2)),
        "voices": (Presence(12.3, 0.8, 12), Presence(20.2, 1.0, 5)),
        "hammering": (Presence(10.3, 0.7, 9),),
        "rain": (Presence(14.4, 0.6, 30),),
        "thunder": (Presence(14.3, 0.25, 6),),
        "crickets": (Presence(22.2, 0.9, 14),),
    },
)

MORNING = Programme(
    name="X",
    first_hour=3,
    hours=6,
    presences={
        "hush": (Presence(3, 1.3, 12), Presence(7, 2, 5)),
        "wind": (Presence(4.4, 0.5, 3), Presence(8, 0.8, 1.2)),
        "owl": (Presence(3.4, 0.3, 1.2),),
        "chorus": (Presence(5.5, 0.4, 16),),
        "rooster": (Presence(5.9, 0.3, 2.5),),
        "birds": (Presence(7, 1.0, 7),),
        "dog": (Presence(7.5, 0.4, 0.8),),
        "car": (Presence(8.6, 0.5, 9),),
        "steps": (Presence(7.7, 0.4, 0.8),),
        "voices": (Presence(8.3, 0.4, 2),),
    },
)
