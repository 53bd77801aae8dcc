"""Tables about conditions: names for numbers, factors of conditions, and when recordings began."""

from pathlib import Path

from stimuli.imports.pipeline import ImportDraft, draft_import
from stimuli.imports.plans import Plan
from stimuli.imports.sources import files_in
from tests.stimuli.folders import noise, write
from tests.stimuli.imports.test_pipeline import RULES

NUMBERS = "item,number,condition,condition.z\nA,1,greedy,0\nA,2,random,\nB,A-02,greedy,0\nb,1,random,\n"


def drafted(root: Path, summaries: tuple[str, ...] = ("1", "2"), **tables: str) -> ImportDraft:
    """Two recordings with a full length and summaries, and tables beside them."""
    folder = root / "sounds"
    for item in "AB":
        for number, name in enumerate(("full-length", *summaries)):
            write(folder / item / f"{item}-{name}.wav", noise(0.5, seed=ord(item) + number))
    for name, content in tables.items():
        (folder / f"{name}.csv").write_text(content)
    (root / "work").mkdir()
    return draft_import(files_in(folder), work=root / "work", rules=RULES)


def sentences(made: ImportDraft) -> str:
    return "\n".join(str(finding) for finding in made.report.findings)


def placed(plan: Plan) -> dict[tuple[str, str], str]:
    return {(cell.item, cell.condition): cell.path for cell in plan.cells}


def test_numbers_alone_are_told_with_the_way_to_name_them(tmp_path: Path) -> None:
    made = drafted(tmp_path)
    assert "the conditions are called 1, 2." in sentences(made)
    assert "columns item, number and condition" in sentences(made)


def test_a_table_says_what_each_number_stands_for_in_each_recording(tmp_path: Path) -> None:
    made = drafted(tmp_path, key=NUMBERS)
    assert placed(made.plan) == {
        ("A", "full-length"): "A/A-full-length.wav",
        ("A", "greedy"): "A/A-1.wav",
        ("A", "random"): "A/A-2.wav",
        ("B", "full-length"): "B/B-full-length.wav",
        ("B", "random"): "B/B-1.wav",
        ("B", "greedy"): "B/B-2.wav",
    }
    assert made.plan.conditions == {"full-length": "full-length", "greedy": "test", "random": "test"}
    assert made.plan.condition_factors == {"greedy": {"z": "0"}}
    assert "known by number only" not in sentences(made)
    assert [kept.path for kept in made.kept] == ["key.csv"]


def test_a_number_may_stand_for_the_same_in_all_recordings(tmp_path: Path) -> None:
    made = drafted(tmp_path, key="number,condition\n1,greedy\n2,random\n3,human\n")
    assert set(made.plan.conditions) == {"full-length", "greedy", "random"}
    assert "name summaries that are not there: 3." in sentences(made)


def test_a_line_without_a_number_and_two_summaries_of_one_name_are_errors(tmp_path: Path) -> None:
    made = drafted(tmp_path, key="item,number,condition\nA,1,greedy\nA,2,greedy\nA,,random\n")
    errors = [str(error) for error in made.report.errors]
    assert "Line 4 of 'key.csv' needs a number and a condition. Fill both in." in errors
    assert any("would all be item 'A' under condition 'greedy'" in error for error in errors)


def test_a_table_of_conditions_gives_them_factors(tmp_path: Path) -> None:
    table = "condition,method,condition.z\ngreedy_z0,greedy,0\ngreedy_z1,greedy,1\nother,x,\n"
    made = drafted(tmp_path, ("greedy_z0", "greedy_z1"), conditions=table)
    assert made.plan.condition_factors == {
        "greedy_z0": {"method": "greedy", "z": "0"},
        "greedy_z1": {"method": "greedy", "z": "1"},
    }
    assert "belong to no condition were left out: 'other'" in sentences(made)
    assert not made.is_rejected


def test_a_manifest_gives_conditions_factors_and_recordings_their_start(tmp_path: Path) -> None:
    manifest = (
        "file,item,condition,role,condition.z,condition.method,starts_at,place\n"
        "A/A-full-length.wav,A,day,full-length,,,06:30,park\n"
        "A/A-1.wav,A,greedy,,0.5,greedy,,\n"
        "A/A-2.wav,A,random,,,,,\n"
    )
    made = drafted(tmp_path, manifest=manifest)
    assert made.plan.conditions == {"day": "full-length", "greedy": "test", "random": "test"}
    assert made.plan.condition_factors == {"greedy": {"z": "0.5", "method": "greedy"}}
    assert made.plan.items == {"A": {"place": "park"}}
    starts = {cell.condition: cell.starts_at_s for cell in made.plan.cells}
    assert starts == {"day": 23_400, "greedy": None, "random": None}
    assert ImportDraft.from_json(made.to_json()).plan == made.plan


def test_a_table_of_items_says_when_their_recordings_began(tmp_path: Path) -> None:
    made = drafted(tmp_path, ("1",), days="item,starts_at,town\nA,18:00:30,Angers\nB,,Nantes\n")
    starts = {(cell.item, cell.condition): cell.starts_at_s for cell in made.plan.cells if cell.starts_at_s is not None}
    assert starts == {("A", "full-length"): 64_830}
    assert made.plan.items == {"A": {"town": "Angers"}, "B": {"town": "Nantes"}}


def test_what_is_no_time_of_day_and_factors_that_disagree_are_errors(tmp_path: Path) -> None:
    manifest = (
        "path,item,condition,condition.z,starts_at\n"
        "A/A-1.wav,A,greedy,0,dawn\nB/B-1.wav,B,greedy,1,\n"  # z of one condition cannot be both
    )
    errors = [str(error) for error in drafted(tmp_path, manifest=manifest).report.errors]
    assert "'dawn' is no time of day at which 'A' began. Write it as 06:30 or 06:30:00." in errors
    assert any("'z' of condition 'greedy' another value" in error for error in errors)
