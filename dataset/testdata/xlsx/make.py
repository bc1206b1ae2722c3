"""Writes the files of this folder: one table as pandas with openpyxl, polars with XlsxWriter, and pandas as CSV write it.

pip install pandas==3.1.1 polars==2.1.0 openpyxl==3.1.5 xlsxwriter==3.3.1; run it in this folder.
"""
import datetime as dt

import openpyxl
import pandas as pd
import polars as pl
import xlsxwriter

rows = []
for i in range(40):
    rows.append({
        "id": i,
        "price": None if i % 7 == 3 else round(1000 / (i + 1), 4),  # both write 16 digits, CSV has 17
        "tiny": float(f"{i + 1}e-{7 * i}"),
        "city": ["Oslo", "São Paulo", 'say "hi" <&>', "line\nbreak", "\U0001F600 smile", None][i % 6],
        "fast": i % 3 == 0,
        "day": dt.date(2024, 2, 1) + dt.timedelta(days=i),
        "seen": dt.datetime(1969, 12, 31, 23, 0, 1) + dt.timedelta(hours=7 * i, seconds=i),
        "y": i % 4,
    })
frame = pd.DataFrame(rows)
frame.to_csv("table.csv", index=False)
with pd.ExcelWriter("pandas.xlsx", engine="openpyxl") as w:
    pd.DataFrame({"note": ["not this one"]}).to_excel(w, sheet_name="About", index=False)
    frame.to_excel(w, sheet_name="My data", index=False)
pl.DataFrame(rows).write_excel("polars.xlsx")

# What people do to sheets: blank rows above, formulas, errors, inline and rich text, dates since 1904, times of day.
book = xlsxwriter.Workbook("forms.xlsx", {"date_1904": True, "in_memory": True})
sheet = book.add_worksheet("forms")
day, clock, lasts = (book.add_format({"num_format": f}) for f in ("d\\. mmm yyyy", "hh:mm:ss", "[h]:mm"))
bold = book.add_format({"bold": True})
for column, name in enumerate(["day", "clock", "lasts", "sum", "text", "flag", "broken"]):
    sheet.write_string(2, column, name)
for i in range(5):
    row = 3 + 2 * i  # every other row is blank
    sheet.write_datetime(row, 0, dt.datetime(2000, 1, 1 + i), day)
    sheet.write_datetime(row, 1, dt.time(6, 30, i), clock)
    sheet.write_number(row, 2, 1.5 + i, lasts)
    sheet.write_formula(row, 3, f"=2*{i}", value=2 * i)
    sheet.write_rich_string(row, 4, "a", bold, "b", f"c{i % 2}") if i else sheet.write_formula(row, 4, '="x"&"y"', value="xy")
    sheet.write_boolean(row, 5, i % 2 == 0)
    sheet.write_formula(row, 6, "=1/0", value="#DIV/0!") if i == 3 else sheet.write_number(row, 6, i)
book.close()

book = openpyxl.Workbook()
for row in ([1, "a", 2.5], [2, None, 3.5], [3, "b", None]):
    book.active.append(row)
book.save("headless.xlsx")
