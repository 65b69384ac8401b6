"""Fuzz a reader: ``run_atheris.py model|table [options of libFuzzer] [folders of seeds]``."""

import sys
import warnings
from pathlib import Path


def main() -> None:
    """Run until libFuzzer has had enough; it ends the process, with 0 if nothing was found."""
    import atheris

    sys.path.append(str(Path(__file__).parents[1]))
    rooms = [f"margintree.{room}" for room in ("modelfile", "preprocessing", "tables", "tree")]
    with atheris.instrument_imports(include=rooms):
        import fuzz_targets

    def mutate(data, max_size, seed):
        try:
            return fuzz_targets.other_entry(data, max_size, seed)
        except (ValueError, IndexError, RecursionError):
            return atheris.Mutate(data, max_size)

    warnings.simplefilter("ignore")
    name = sys.argv.pop(1)
    options = {"custom_mutator": mutate} if name == "model" else {}
    atheris.Setup(sys.argv, getattr(fuzz_targets, name), **options)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
