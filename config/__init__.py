"""Settings, addresses and entry points: how the apps are put together."""
