"""What is kept of a browser is its family, major version and kind, and nothing else."""

import pytest

from listening.participation.access import describe_device


@pytest.mark.parametrize(
    ("user_agent", "browser", "kind"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML) Chrome/156.0.1.2 Safari/537.36",
            "Chrome 156",
            "desktop",
        ),
        ("Mozilla/5.0 (Windows NT 10.0; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox 144", "desktop"),
        ("Mozilla/5.0 (iPhone; CPU) AppleWebKit/605 Version/19.1 Mobile/15E148 Safari/604.1", "Safari 19", "phone"),
        ("Mozilla/5.0 (iPad; CPU OS 19) AppleWebKit/605 Version/19.1 Safari/604.1", "Safari 19", "tablet"),
        ("Mozilla/5.0 (Linux; Android 16) Chrome/156.0 Mobile Safari/537 Edg/156.0", "Edge 156", "phone"),
        ("", "other", "desktop"),
    ],
)
def test_a_browser_is_described_in_two_words(user_agent: str, browser: str, kind: str) -> None:
    assert describe_device(user_agent) == {"browser": browser, "device_class": kind}
