"""The surfaces, one module each: `SURFACE` is its class. What stands here inherits every test of this package."""

from importlib import import_module
from pkgutil import iter_modules

from tests.surfaces.contract import Surface


def surfaces() -> list[type[Surface]]:
    found = sorted(module.name for module in iter_modules(__path__))
    return [import_module(f"{__name__}.{name}").SURFACE for name in found]
