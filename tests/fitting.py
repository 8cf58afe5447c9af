"""Overrides for models of any kind: those that the kinds in question have."""

from jumok import config as configuration


def fitting(chosen: list[str], overrides: list[str]) -> list[str]:
    """Those of the chosen overrides whose keys belong to the kinds that `overrides` resolve to."""
    model = configuration.resolve({}, overrides).model
    kinds = {f"model.{side}.kind": getattr(model, side).kind for side in ("encoder", "decoder")}
    kept = configuration.fitting({item.partition("=")[0]: item for item in chosen}, kinds)
    return list(kept.values())
