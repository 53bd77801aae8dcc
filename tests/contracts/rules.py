"""Code rules as functions from source text to a list of complaints, so that each can be shown to find a defect."""

import ast
import re
from collections.abc import Callable, Iterator

Rule = Callable[[ast.Module], list[str]]

MAX_MODULE_LINES = 600
MIN_MODULE_LINES = 40
MAX_FUNCTION_LINES = 40
# A docstring that begins so does not name the thing that the module is.
NO_NOUN = re.compile(
    r"(What|Whatever|Who|Where|When|Which|Whether|How|From|Every|Everything|All|No|Nobody|Nothing|That|This)\b"
)
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}
WRITING_METHODS = {
    *("save", "create", "update", "delete", "bulk_create", "bulk_update"),
    *("get_or_create", "update_or_create", "asave", "acreate", "aupdate", "adelete"),
}
NOT_ROWS = {"headers", "conf", "default_storage"}  # mappings and files, whose update() or save() touches no row
# What `random` and `numpy.random` offer for passing randomness in.
GENERATORS = {"Random", "SystemRandom", "default_rng", "Generator", "SeedSequence", "PCG64"}
NAIVE_CLOCKS = {("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
CLOCKS = {"now", *(name for _, name in NAIVE_CLOCKS)}
HOLD_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
OWNED_IN_SCOPE = re.compile(r"\b(addEventListener|setTimeout|setInterval|requestAnimationFrame)\b")
MACHINE_PATH = re.compile(r"(?<![\w.}$-])/(?:work|root|home/\w+|Users/\w+)/\w")
REGISTRY_ADDRESS = re.compile(r"https?://[^\s\"'<>)]*(?:pypi|npmjs|registry|/simple/)[^\s\"'<>)]*")


def module_size(text: str) -> list[str]:
    lines = text.count("\n")
    return [f"{lines} lines; split it by noun at {MAX_MODULE_LINES}"] if lines > MAX_MODULE_LINES else []


def too_short(text: str) -> list[str]:
    lines = text.count("\n")
    return [f"{lines} lines; put it where it is used, or say why not"] if lines < MIN_MODULE_LINES else []


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield every statement, and what holds statements; expressions hold none and are left out."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        yield (node := waiting.pop())
        waiting += [each for each in ast.iter_child_nodes(node) if isinstance(each, HOLD_STATEMENTS)]


def function_size(tree: ast.Module) -> list[str]:
    return [
        f"{node.name} has {length} lines; a function fits on one screen ({MAX_FUNCTION_LINES})"
        for node in statements(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or node.lineno) - node.lineno + 1) > MAX_FUNCTION_LINES
    ]


def docstring(tree: ast.Module) -> list[str]:
    text = ast.get_docstring(tree)
    if not tree.body:  # an empty __init__.py only makes a folder a package
        return []
    if not text:
        return ["no module docstring"]
    if found := NO_NOUN.match(text):
        return [f"the module docstring begins with '{found.group()}' and not with the name of a thing"]
    first = text.split("\n\n")[0]
    return [] if first.endswith((".", ":")) else ["the module docstring does not begin with a whole sentence"]


def calls(tree: ast.Module) -> Iterator[tuple[int, ast.Attribute]]:
    """Yield every call of a method or of a module's function, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.lineno, node.func


def naive_time(tree: ast.Module) -> list[str]:
    complaints = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr not in CLOCKS:
            continue
        owner = ast.unparse(node.func.value).rpartition(".")[2]
        naive_now = (owner, node.func.attr) == ("datetime", "now") and not node.args and not node.keywords
        if naive_now or (owner, node.func.attr) in NAIVE_CLOCKS:
            complaints.append(f"line {node.lineno}: {owner}.{node.func.attr}() has no time zone")
    return complaints


def global_randomness(tree: ast.Module) -> list[str]:
    """Complain about the hidden generators of `random` and `numpy.random`; a generator is passed in."""
    complaints = [
        f"line {line}: {ast.unparse(call)} draws from a hidden generator; pass one in"
        for line, call in calls(tree)
        if isinstance(call.value, ast.Name | ast.Attribute)
        and ast.unparse(call.value) in {"random", "np.random", "numpy.random"}
        and call.attr not in GENERATORS
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in {"random", "numpy.random"}:
            complaints += [
                f"line {node.lineno}: {node.module}.{name.name} is a hidden generator; pass one in"
                for name in node.names
                if name.name not in GENERATORS
            ]
    return complaints


def writes(tree: ast.Module) -> list[str]:
    """Complain about calls that write rows, wherever only services may."""
    return [
        f"line {line}: {ast.unparse(call)}() writes; call a service"
        for line, call in calls(tree)
        if call.attr in WRITING_METHODS and ast.unparse(call.value).rpartition(".")[2] not in NOT_ROWS
    ]


def named(text: str, slug: str) -> list[str]:
    """Complain about a protocol's slug as a text of its own: what code would compare with, or look up."""
    if slug not in text:
        return []
    word = re.compile(rf"""(?P<mark>["'`]){re.escape(slug)}(?P=mark)""")
    return [f"line {n}: {line.strip()[:80]}" for n, line in enumerate(text.splitlines(), 1) if word.search(line)]


def unowned_listeners(text: str) -> list[str]:
    return [
        f"line {n}: {line.strip()[:80]}" for n, line in enumerate(text.splitlines(), 1) if OWNED_IN_SCOPE.search(line)
    ]


def machine_paths(text: str) -> list[str]:
    if not (MACHINE_PATH.search(text) or REGISTRY_ADDRESS.search(text)):
        return []
    return [
        f"line {n}: {found.group(0)}"
        for n, line in enumerate(text.splitlines(), 1)
        for found in [MACHINE_PATH.search(line) or REGISTRY_ADDRESS.search(line)]
        if found
    ]
