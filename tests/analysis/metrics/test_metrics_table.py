"""Reading of tables of metrics: both shapes give the same values, and what is wrong is named by its line."""

import pytest

from analysis.metrics.reading import MOST_METRICS, read_metrics
from core.errors import AppError

LONG = "file,metric,value\nenh/a.wav,PESQ,1.5\nenh/b.wav,PESQ,2\nenh/a.wav,DNSMOS OVRL,3\n"
WIDE = "file;PESQ;DNSMOS OVRL\nenh/a.wav;1.5;3\nenh/b.wav;2;n/a\n".replace("n/a", "")


@pytest.mark.parametrize("text", [LONG, WIDE, WIDE.replace(";", "\t")])
def test_one_value_in_a_row_and_one_column_for_each_metric_are_the_same_table(text: str) -> None:
    found = read_metrics(text.encode(), name="m.csv")
    assert (found.by, found.metrics) == ("file", ("PESQ", "DNSMOS OVRL"))
    assert {row.name: dict(row.values) for row in found.rows} == {
        "enh/a.wav": {"PESQ": 1.5, "DNSMOS OVRL": 3.0},
        "enh/b.wav": {"PESQ": 2.0},
    }


def test_condition_and_item_name_a_file_and_a_condition_alone_names_itself() -> None:
    both = read_metrics(b"condition,item,PESQ\nenh,a,1.5\n", name="m.csv")
    assert (both.by, both.rows[0].name) == ("file", "enh/a")
    alone = read_metrics(b"condition,PESQ,WER\nenh,1.5,-2e-1\n", name="m.csv")
    assert (alone.by, alone.rows[0].name, alone.rows[0].values) == ("condition", "enh", {"PESQ": 1.5, "WER": -0.2})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,PESQ\na,1\n", "line 1: there is no column 'file': name a file in each row, or a condition"),
        ("file,metric\na,PESQ\n", "line 1: there is no column 'value'"),
        ("file\na\n", "line 1: there is no column 'metric'"),
        ("file,PESQ\na,1\n,2\n", "line 3: 'file' is empty"),
        ("file,metric,value\na,PESQ,1\nb,,2\n", "line 3: 'metric' is empty"),
        ("file,metric,value\na,PESQ,1\nb,PESQ,nan\n", "line 3: 'value' is empty"),
        ("file,PESQ\na,1\nb,good\n", "line 3: 'good' under 'PESQ' is no number"),
        ("file,PESQ\na,1\nb,1e400\n", "line 3: '1e400' under 'PESQ' is no number"),
        ("file,PESQ\na,1\nb,2\na,3\n", "line 4: 'a' has a value of 'PESQ' in line 2 already"),
        ("file,metric,value\na,P,1\na,P,x\nb,P,y\n", "line 3: 'a' has a value of 'P' in line 2 already"),
        ("file,PESQ\na,\n", "it has no value of any metric"),
        ("file,PESQ\n", "it has a heading and no rows"),
        ("file,PESQ\na,1,2\n", "line 2 has 3 cells"),
        ("", "it is empty"),
        ("file,PE\0SQ\na,1\n", "line 1 has a zero byte under 'PESQ'"),
        (
            f"file,{','.join(f'm{n}' for n in range(MOST_METRICS + 1))}\na{',1' * (MOST_METRICS + 1)}\n",
            "has 21 metrics",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(AppError) as caught:
        read_metrics(text.encode(), name="m.csv")
    assert said in str(caught.value)
    assert caught.value.status == 422


def test_several_wrong_lines_are_all_listed() -> None:
    with pytest.raises(AppError) as caught:
        read_metrics(b"file,PESQ\na,x\nb,y\nc,z\nd,1\n", name="m.csv")
    assert [row.partition(":")[0] for row in caught.value.data["rows"]] == ["line 2", "line 3", "line 4"]
    assert str(caught.value).endswith("; and 1 more.")
