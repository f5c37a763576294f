"""The furniture library: one small recipe for each kind of thing.

A recipe draws in the object's own frame (x where its front looks, y to its left, z up; metres)
and follows the sizes and materials that it is given.
"""

from semantic_nav.sim.world.assembly import Library
from semantic_nav.sim.world.library import (
    bath,
    beds,
    belongings,
    decor,
    devices,
    household,
    kitchen,
    people,
    seating,
    small,
    storage,
    tables,
)

LIBRARY = Library()
for module in (bath, beds, belongings, decor, devices, household, kitchen, people, seating, small,
               storage, tables):
    for name, entry in module.recipes.entries.items():
        if name in LIBRARY.entries:
            raise ValueError(f'recipe {name!r} stands twice')
        LIBRARY.entries[name] = entry
