"""Workbooks: a seat's pages as a spreadsheet, and what came back in one; a protocol names its module here."""
