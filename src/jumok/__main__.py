"""`python -m jumok …` is `jumok …`, which is how torchrun starts it."""

from jumok.cli.app import run

if __name__ == "__main__":
    run()
