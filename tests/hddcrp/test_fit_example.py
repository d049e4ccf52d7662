from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_documented_output_is_what_the_example_prints() -> None:
    command = [sys.executable, "-W", "ignore", str(ROOT / "examples" / "tremors.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert (
        f"```console\n$ python examples/tremors.py\n{printed}```" in (ROOT / "docs" / "hddcrp.md").read_text()
    )
