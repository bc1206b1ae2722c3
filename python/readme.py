"""Runs the Python examples of a document, from the tree's folder: `python readme.py README.md`.

It takes an interpreter with the package alone, such as that of an empty environment after `pip install`.
"""

import re
import sys
from pathlib import Path

text = Path(sys.argv[1]).read_text("utf-8")
blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
if not blocks:
    sys.exit(f"{sys.argv[1]} has no block of Python")
scope: dict[str, object] = {}
for block in blocks:
    exec(compile(block, sys.argv[1], "exec"), scope)
