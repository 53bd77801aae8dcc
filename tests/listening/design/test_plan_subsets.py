"""The command that plans subsets of any table, without a database."""

import csv
import io
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

HEADING = ",wavfile,Speaker sex,location,transcription"
SEXES, LOCATIONS = ("FM", "F", "M", "FM"), ("dining", "living", "kitchen")


def rows(count: int = 24) -> list[str]:
    return [
        f'{n * 3},clip-{n}.wav,{SEXES[n % 4]},{LOCATIONS[n % 3]},"(P0{n}) Um, yes.\nNo, ""really"""'
        for n in range(count)
    ]


def table(folder: Path, lines: list[str] | None = None, *, heading: str = HEADING, encoding: str = "utf-8") -> Path:
    path = folder / "samples.csv"
    path.write_bytes("\n".join([heading, *(rows() if lines is None else lines), ""]).encode(encoding))
    return path


def run(path: Path, *options: str) -> str:
    said = io.StringIO()
    call_command("plan_subsets", str(path), "--subsets", "3", "--size", "4", *options, stdout=said)
    return said.getvalue()


def planned(path: Path, *options: str) -> dict[str, Any]:
    plan: dict[str, Any] = json.loads(run(path, "--json", *options))
    return plan


def refused(path: Path, *options: str) -> str:
    with pytest.raises(CommandError) as caught:
        run(path, *options)
    return str(caught.value)


def test_json_names_the_items_by_the_column_that_is_asked_for(tmp_path: Path) -> None:
    plan = planned(table(tmp_path), "--factors", "speaker_sex,location", "--id", "wavfile", "--seed", "7")
    assert (plan["optimal"], plan["gap"]) == (True, 0.0)
    assert [len(subset) for subset in plan["subsets"]] == [4, 4, 4]
    assert all(name.startswith("clip-") for subset in plan["subsets"] for name in subset)
    assert plan["report"]["seed"] == "7"
    sexes = {row["level"]: row for row in plan["report"]["margins"] if row["factor"] == "speaker_sex"}
    assert sexes["FM"]["achieved"] == [2, 2, 2]


def test_items_are_named_by_the_first_column_even_if_it_has_no_name(tmp_path: Path) -> None:
    plan = planned(table(tmp_path), "--factors", "location")
    assert all(int(name) % 3 == 0 for subset in plan["subsets"] for name in subset)
    named = planned(table(tmp_path, [line.partition(",")[2] for line in rows()], heading=HEADING[1:]))
    assert all(name.startswith("clip-") for subset in named["subsets"] for name in subset)


def test_the_same_seed_gives_the_same_subsets_and_another_gives_others(tmp_path: Path) -> None:
    path = table(tmp_path)
    first, again, other = (planned(path, "--factors", "location", "--seed", seed) for seed in ("1", "1", "2"))
    assert first == again
    assert first["subsets"] != other["subsets"]


def test_a_person_reads_targets_what_was_achieved_and_the_verdict(tmp_path: Path) -> None:
    said = run(table(tmp_path), "--factors", "Speaker Sex,location")
    assert "Speaker Sex = FM" in said
    assert "FM x dining" in said
    assert "Proven to be the best there is." in said
    assert "Subset 3:" in said


def test_files_of_subsets_have_the_rows_of_the_table_letter_by_letter(tmp_path: Path) -> None:
    path, out = table(tmp_path), tmp_path / "new" / "plan"
    plan = planned(path, "--factors", "location", "--id", "wavfile", "--out", str(out))
    assert sorted(file.name for file in out.iterdir()) == ["report.json", *(f"subset_{n}.csv" for n in (1, 2, 3))]
    assert json.loads((out / "report.json").read_text()) == plan
    original = path.read_text()
    for number, subset in enumerate(plan["subsets"], 1):
        text = (out / f"subset_{number}.csv").read_text()
        with io.StringIO(text, newline="") as file:
            read = list(csv.DictReader(file))
        assert text.startswith(HEADING + "\n")
        assert [row["wavfile"] for row in read] == subset
        assert all(row["transcription"].endswith('No, "really"') for row in read)
        assert all(block in original for block in text.removeprefix(HEADING).split('really"""'))


def test_an_earlier_plan_in_the_folder_is_replaced_whole(tmp_path: Path) -> None:
    path, out = table(tmp_path), tmp_path / "plan"
    run(path, "--out", str(out))
    said = io.StringIO()
    call_command("plan_subsets", str(path), "--subsets", "2", "--size", "4", "--out", str(out), stdout=said)
    assert sorted(file.name for file in out.iterdir()) == ["report.json", "subset_1.csv", "subset_2.csv"]


def test_nothing_is_written_when_the_request_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "plan"
    refused(table(tmp_path), "--factors", "nothing", "--out", str(out))
    assert not out.exists()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_understood(tmp_path: Path, encoding: str) -> None:
    plan = planned(table(tmp_path, encoding=encoding), "--factors", "location", "--id", "wavfile")
    assert plan["optimal"]


def test_a_workbook_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "samples.xlsx"
    path.write_bytes(workbook([["name", "sex"], *([f"clip-{n}", SEXES[n % 4]] for n in range(16))]))
    plan = planned(path, "--factors", "sex", "--out", str(tmp_path / "plan"))
    assert [len(subset) for subset in plan["subsets"]] == [4, 4, 4]
    assert (tmp_path / "plan" / "subset_1.csv").read_text().splitlines()[0] == "name,sex"


def workbook(cells: list[list[str]]) -> bytes:
    """Make the smallest workbook that holds these cells."""
    inline = '<c t="inlineStr"><is><t>{}</t></is></c>'
    rows = "".join(f"<row>{''.join(inline.format(cell) for cell in row)}</row>" for row in cells)
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="one" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    }
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


# --- What is refused, and where ---------------------------------------------------------------------------------------


def test_an_unknown_factor_is_refused_with_the_columns_that_there_are(tmp_path: Path) -> None:
    said = refused(table(tmp_path), "--factors", "location,room")
    assert "'room'" in said
    assert "wavfile, speaker_sex, location, transcription" in said


def test_an_item_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    lines = ["0,a,F,x,", "1,b,F,x,", "2,c,M,y,", "3,b,M,y,"]
    assert "'b' is there twice: lines 3 and 5" in refused(table(tmp_path, lines), "--id", "wavfile")


def test_a_missing_level_is_refused_with_its_lines(tmp_path: Path) -> None:
    lines = ["0,a,F,x,", "1,b,,x,", "2,c,M,y,", "3,d"]
    said = refused(table(tmp_path, lines), "--factors", "speaker_sex")
    assert "'speaker_sex' is empty for the rows in lines 3, 5" in said


def test_a_table_in_another_encoding_is_refused_with_the_line(tmp_path: Path) -> None:
    lines = ["0,a,F,x,", "1,b,F,café,"]
    assert "line 3 is not UTF-8" in refused(table(tmp_path, lines, encoding="latin-1"))


def test_more_than_the_pool_holds_is_refused_with_the_nearest_size(tmp_path: Path) -> None:
    said = refused(table(tmp_path), "--factors", "location", "--size", "9")
    assert "need 27 items, and the pool has 24" in said
    assert "The nearest size that is possible is 8." in said


def test_tables_without_rows_and_files_that_are_not_there_are_refused(tmp_path: Path) -> None:
    assert "no rows" in refused(table(tmp_path, []))
    assert "empty" in refused(table(tmp_path, [], heading=""))
    assert "cannot be used: No such file" in refused(tmp_path / "nowhere.csv")
