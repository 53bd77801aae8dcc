"""Workbooks for tests, honest and hostile, written by hand: a zip of a few XML files."""

import io
import zipfile
from xml.sax.saxutils import escape

FORMATS = "http://schemas.openxmlformats.org"
MIME = "application/vnd.openxmlformats"
OFFICE = f"{FORMATS}/officeDocument/2006/relationships"
CONTENT_TYPES = f"""<?xml version="1.0"?><Types xmlns="{FORMATS}/package/2006/content-types">
<Default Extension="rels" ContentType="{MIME}-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType="{MIME}-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{MIME}-officedocument.spreadsheetml.worksheet+xml"/>
</Types>"""
RELATIONS = f"""<?xml version="1.0"?><Relationships xmlns="{FORMATS}/package/2006/relationships">
<Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>"""
WORKBOOK = f"""<?xml version="1.0"?><workbook xmlns="{FORMATS}/spreadsheetml/2006/main" xmlns:r="{OFFICE}">
<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>"""
WORKBOOK_RELATIONS = f"""<?xml version="1.0"?><Relationships xmlns="{FORMATS}/package/2006/relationships">
<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"""


def sheet(rows: str) -> str:
    return f'<worksheet xmlns="{FORMATS}/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'


def workbook(rows: list[list[str | float]]) -> bytes:
    return packed(sheet("".join(_row(number, row) for number, row in enumerate(rows, 1))))


def packed(text: str, head: str = '<?xml version="1.0"?>') -> bytes:
    """A workbook around a sheet's XML, which may be anything."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("xl/workbook.xml", WORKBOOK)
        archive.writestr("xl/_rels/workbook.xml.rels", WORKBOOK_RELATIONS)
        archive.writestr("xl/worksheets/sheet1.xml", head + text)
    return target.getvalue()


def _row(number: int, cells: list[str | float]) -> str:
    return f'<row r="{number}">{"".join(_cell(chr(65 + n), number, cell) for n, cell in enumerate(cells))}</row>'


def _cell(column: str, row: int, value: str | float) -> str:
    if isinstance(value, str):
        return f'<c r="{column}{row}" t="inlineStr"><is><t>{escape(value)}</t></is></c>' if value else ""
    return f'<c r="{column}{row}"><v>{value}</v></c>'
