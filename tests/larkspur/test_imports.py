"""What comes along with `import larkspur`."""

import subprocess
import sys


def test_larkspur_brings_neither_streamlit_nor_altair_nor_training_along() -> None:
    code = (
        "import larkspur, sys; larkspur.load('mini'); larkspur.load('student');"
        "print(sorted({name.split('.')[0] for name in sys.modules}))"
    )
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'larkspur'" in names
    for unwanted in ("streamlit", "altair", "torch", "transformers", "pandas", "sim"):
        assert f"'{unwanted}'" not in names
    modules = subprocess.run(
        [sys.executable, "-c", "import larkspur, sys; print('larkspur.corpus' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert modules.stdout.strip() == "False"
