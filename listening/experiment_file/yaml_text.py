"""YAML text: read by the rules of YAML 1.2, without aliases, and written so that the same values are the same bytes."""

import re
from collections.abc import Hashable
from typing import Any

import yaml

from core.errors import AppError
from core.i18n import LazyMessage
from core.i18n import gettext_noop as _

MOST_BYTES = 4 * 2**20
DEEPEST = 24
UNLIMITED_WIDTH = 2**30
INDENT = 2
# Line ends by YAML 1.1 that a literal block would not keep apart.
ODD_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$")
# The plain scalars that are no text, by the core schema of YAML 1.2: `no`, 12:30 and 2026-01-31 are texts.
PLAIN = {
    "tag:yaml.org,2002:bool": (re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), "tTfF"),
    "tag:yaml.org,2002:null": (re.compile(r"(?:~|null|Null|NULL|)$"), ["~", "n", "N", ""]),
    "tag:yaml.org,2002:int": (re.compile(r"[-+]?(?:0|[1-9][0-9]*)$"), "-+0123456789"),
    "tag:yaml.org,2002:float": (FLOAT, "-+.0123456789"),
}


class _Loader(yaml.CSafeLoader):
    """The safe loader with the scalars of YAML 1.2, which refuses a key that is there twice."""

    yaml_implicit_resolvers: dict[str, Any] = {}


class _Dumper(yaml.SafeDumper):
    """The safe dumper; a text that any reader of YAML could take for something else is quoted."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Hashable, Any]:
    seen: set[Hashable] = set()
    for key_node, _value in node.value:
        key = loader.construct_object(key_node)
        if not isinstance(key, Hashable) or key in seen:
            twice = LazyMessage("the key '{key}' is there twice", key=str(key)[:40])
            raise yaml.constructor.ConstructorError(None, None, twice, key_node.start_mark)
        seen.add(key)
    return dict(loader.construct_mapping(node, deep=True))


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = '"' if ODD_LINE_ENDS.search(text) else "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style=style)


for tag, (pattern, first) in PLAIN.items():
    _Loader.add_implicit_resolver(tag, pattern, list(first))
    _Dumper.add_implicit_resolver(tag, pattern, list(first))
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Dumper.add_representer(str, _text)
_Dumper.add_multi_representer(str, _text)  # the values of choices


def load_yaml(content: bytes) -> Any:
    """The values of a file, or an error that names the line. Aliases, tags and needless depth are refused."""
    if len(content) > MOST_BYTES:
        raise AppError(
            "experiment_file.too_large",
            413,
            _("The file is larger than {most} MB, which no experiment needs."),
            most=MOST_BYTES // 2**20,
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _unreadable(LazyMessage("it is not text in UTF-8"), 1) from None
    try:
        _check_events(text)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a subclass of the safe loader
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        raise _unreadable(problem.problem or LazyMessage("it is no YAML"), mark.line + 1 if mark else 1) from None
    except yaml.YAMLError:
        raise _unreadable(LazyMessage("it holds a character that cannot be kept"), 1) from None
    except ValueError:
        raise _unreadable(LazyMessage("it holds a number that cannot be kept"), 1) from None


def dump_yaml(value: Any) -> str:
    """The text of values: keys in their order, texts of several lines as literal blocks, no line folded."""
    written: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=UNLIMITED_WIDTH, indent=INDENT
    )
    return written


def _check_events(text: str) -> None:
    """Refuse what could blow up while it is put together; events come one by one and are not kept."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise _unreadable(LazyMessage("it repeats a part by an alias (*); write it out"), line)
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise _unreadable(LazyMessage("it has the tag {tag}; leave it out", tag=tag), line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise _unreadable(LazyMessage("it is nested too deeply"), line)


def _unreadable(problem: str, line: int) -> AppError:
    return AppError(
        "experiment_file.unreadable",
        422,
        _("The file cannot be read as YAML: line {line}: {problem}."),
        line=line,
        problem=problem,
    )
