"""Work for a fork server that takes an hour to load, and says when it has begun."""

import sys
import time


def warm_up() -> None:
    sys.stderr.write("loading\n")
    sys.stderr.flush()
    time.sleep(3600)
