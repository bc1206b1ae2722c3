"""``python -m boost_gbt`` is the program boost."""

import sys

from ._program import main

sys.exit(main())
