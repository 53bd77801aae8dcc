"""What is kept of a browser's description of itself: family, major version, and kind of device; never the text."""

import re

FAMILIES = (
    ("Edge", r"Edg(?:e|A|iOS)?/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Chrome", r"(?:Chrome|CriOS)/(\d+)"),
    ("Safari", r"Version/(\d+).*Safari"),
)


def describe_device(user_agent: str) -> dict[str, str]:
    found = ((name, re.search(pattern, user_agent)) for name, pattern in FAMILIES)
    browser = next((f"{name} {match[1]}" for name, match in found if match), "other")
    if re.search(r"iPad|Tablet", user_agent):
        kind = "tablet"
    elif re.search(r"Mobi|Android|iPhone", user_agent):
        kind = "phone"
    else:
        kind = "desktop"
    return {"browser": browser, "device_class": kind}
