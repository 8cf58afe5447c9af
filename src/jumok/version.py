"""The version of the package, as `pyproject.toml` names it."""

__version__ = "0.2.0"
