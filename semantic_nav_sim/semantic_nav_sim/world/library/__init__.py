"""The furniture library: one small recipe for each kind of thing.

A recipe draws in the object's own frame (x where its front looks, y to its left, z up; metres)
and follows the sizes and materials that it is given. Importing this package brings all modules
that lie in it, so that LIBRARY knows their recipes.
"""

import pkgutil
from importlib import import_module

from semantic_nav_sim.world.assembly import LIBRARY

for module in pkgutil.iter_modules(__path__):
    import_module(f'{__name__}.{module.name}')

__all__ = ['LIBRARY']
