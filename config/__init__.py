"""Settings, addresses and entry points: how the five rooms are put together."""
