"""Texts of every report: warnings about listeners, and the methods text, ready to copy."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.datasets import counted
from analysis.reports.base import Result
from analysis.reports.exclusions import methods_sentences
from analysis.reports.plan import plan_sentences
from analysis.reports.tables import Row, Table
from core.i18n import ngettext_noop
from rating.models import Experiment
from rating.registry import get_protocol
from rating.services.attention import summary_of
from rating.services.texts import amendments

MOST_NAMED = 10
AMENDED = {
    "title": ngettext_noop(
        "The title was amended on {date} after {n} listener had consented: {reason}.",
        "The title was amended on {date} after {n} listeners had consented: {reason}.",
    ),
    "consent_text": ngettext_noop(
        "The consent text was amended on {date} after {n} listener had consented: {reason}.",
        "The consent text was amended on {date} after {n} listeners had consented: {reason}.",
    ),
    "instructions": ngettext_noop(
        "The instructions were amended on {date} after {n} listener had consented: {reason}.",
        "The instructions were amended on {date} after {n} listeners had consented: {reason}.",
    ),
    "debrief": ngettext_noop(
        "The debrief was amended on {date} after {n} listener had consented: {reason}.",
        "The debrief was amended on {date} after {n} listeners had consented: {reason}.",
    ),
}


def listener_sentences(table: Mapping[str, Any]) -> list[str]:
    """The warnings about listeners in words."""
    sentences = {"incomplete_listeners": _incomplete, "unequal_panels": _unequal}
    return [sentences[row["code"]](row) for row in table.get("warnings", []) if row["code"] in sentences]


def incomplete_listeners(table: Mapping[str, Any]) -> int:
    """How many listeners have not answered every page."""
    return sum(row["listeners"] for row in table.get("warnings", []) if row["code"] == "incomplete_listeners")


def complete_only(made: Table) -> Table:
    """The table of means that was made of complete listeners, under a heading that says so."""
    note = _("Without those who have not answered every page.")
    return replace(made, id="complete", title=_("Complete listeners only"), note=f"{note} {made.note}")


def _incomplete(row: Row) -> str:
    people = row["people"]
    who = [
        _("{listener} ({pages} of {of_pages} pages)").format_map(person)
        for person in sorted(people, key=lambda person: person["listener"])[:MOST_NAMED]
    ]
    if len(people) > MOST_NAMED:
        who.append(_("{n} others").format(n=len(people) - MOST_NAMED))
    said = ngettext(
        "{n} of {of} listeners has not answered every page, and still counts as a whole listener: {who}.",
        "{n} of {of} listeners have not answered every page, and still count as whole listeners: {who}.",
        row["listeners"],
    )
    if row.get("apart"):
        said = ngettext(
            "{n} of {of} listeners has not answered every page, and is left out of figures over listeners: {who}.",
            "{n} of {of} listeners have not answered every page, and are left out of figures over listeners: {who}.",
            row["listeners"],
        )
    return said.format(n=row["listeners"], of=row["of"], who=", ".join(who))


def _unequal(row: Row) -> str:
    panels = ", ".join(_("panel {panel}: {n_listeners}").format_map(panel) for panel in row["panels"])
    return _(
        "Panels have unequal numbers of listeners ({panels}). What the fuller panels heard weighs more in every mean."
    ).format(panels=panels)


def fill_methods_text(
    experiment: Experiment, result: Result, sentences: Iterable[str], *, counts: Mapping[str, int], **also: Any
) -> str:
    """Fill the sentences of a method, leave out the empty ones, and add what is true of every method.

    They may name the counts, `protocol`, `protocol_version`, `wording`, `method`, `version` and whatever is in `also`.
    """
    protocol, incomplete = get_protocol(experiment.protocol), incomplete_listeners(result["table"])
    told = [
        *sentences,
        _("{incomplete} of the listeners had not answered every page.") if incomplete else "",
        _("Simulated listeners are included: these are not data.") if result["simulated"] else "",
    ]
    computed = (
        _("Computed with Earmark, method {method} {version}; design {design}.")
        if experiment.design_sha256
        else _("Computed with Earmark, method {method} {version}.")
    )
    values = {
        **{name: str(number_format(count, 0, use_l10n=True, force_grouping=True)) for name, count in counts.items()},
        "incomplete": incomplete,
        "protocol": protocol.title,
        "protocol_version": protocol.version,
        "wording": experiment.label_set,
        "method": result["method"],
        "version": result["version"],
        "design": experiment.design_sha256[:12],
        **also,
    }
    filled = [sentence.format_map(values) for sentence in told if sentence]
    excluded, planned = methods_sentences(result["table"]), plan_sentences(experiment.analysis_plan, result["table"])
    checked, extended = _checked(experiment, result), _extended(experiment)
    said = [*filled, *checked, *excluded, *planned, computed.format_map(values), *extended, *_amended(experiment)]
    return " ".join(said)


def _checked(experiment: Experiment, result: Result) -> Iterator[str]:
    """What the attention checks were, and how many listeners passed them."""
    if not experiment.checks:
        return
    ballots = counted(experiment, simulated=result["simulated"]).values_list("pk", flat=True)
    found = summary_of(experiment, ballots)
    yield _(
        "Each listener also heard {traps} trap clips and {gold} gold clips with a known answer, and {repeats} clips "
        "twice; none of these ratings counts in a mean."
    ).format_map(found)
    if found["traps"] + found["gold"]:
        yield _("{passed} of {listeners} listeners answered every trap and gold clip as expected.").format_map(found)


def _extended(experiment: Experiment) -> Iterator[str]:
    """One sentence for each extension; those of a draft are part of its plan."""
    for extension in experiment.extensions.exclude(reason=""):
        sentence = _("The plan was extended from {before} to {after} listeners on {date}: {reason}.")
        yield sentence.format(
            before=extension.listeners_before,
            after=extension.listeners,
            date=date_format(extension.created_at),
            reason=extension.reason.rstrip("."),
        )


def _amended(experiment: Experiment) -> Iterator[str]:
    """One sentence for each text that was amended while people listened; the contact shapes no answer."""
    for amendment in amendments(experiment):
        version, count = amendment.version, amendment.consents_before
        date = date_format(version.published_at) if version.published_at else ""
        for text in amendment.changed:
            if text not in AMENDED:
                continue
            sentence = ngettext(*AMENDED[text], count)
            yield sentence.format(date=date, n=count, reason=version.reason.rstrip(".") or "-")
