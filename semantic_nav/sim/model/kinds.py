"""What people and models know of kinds of things: what looks alike, what speaks for a room."""

from __future__ import annotations

#: Kinds that are taken for each other, as `words.normalise` spells them.
ALIKE = (
    ('mug', 'bowl', 'cup', 'glass', 'vase'), ('bottle', 'candle', 'soap dispenser'),
    ('sofa', 'armchair', 'bed'), ('chair', 'stool', 'bench', 'office chair'),
    ('table', 'coffee table', 'dining table', 'side table', 'desk', 'console table'),
    ('fridge', 'wardrobe', 'washing machine'), ('bookshelf', 'cabinet', 'dresser', 'sideboard'),
    ('book', 'laptop', 'box', 'tablet'), ('tv', 'monitor', 'picture', 'mirror'),
    ('sink', 'bath', 'toilet'), ('plant', 'lamp', 'floor lamp'), ('ball', 'apple', 'orange'),
    ('backpack', 'cushion', 'basket', 'bin'))

#: Colours that are taken for each other, nearest first.
NEAR_COLOURS = {
    'red': ('orange', 'brown', 'pink'), 'orange': ('red', 'yellow', 'brown'),
    'yellow': ('orange', 'beige', 'white'), 'green': ('blue', 'grey', 'yellow'),
    'teal': ('green', 'blue', 'grey'), 'blue': ('purple', 'grey', 'black'),
    'navy': ('blue', 'black'), 'purple': ('blue', 'pink', 'black'),
    'pink': ('red', 'purple', 'white'), 'brown': ('black', 'red', 'beige'),
    'beige': ('white', 'brown', 'grey'), 'white': ('grey', 'beige'),
    'grey': ('white', 'black', 'blue'), 'black': ('grey', 'brown', 'blue')}
#: What rooms are taken for.
NEAR_ROOMS = {
    'living room': ('study', 'dining room'), 'study': ('living room', 'bedroom'),
    'hall': ('living room', 'bedroom'), "child's room": ('bedroom', 'living room'),
    'utility room': ('bathroom', 'kitchen'), 'dining room': ('kitchen', 'living room'),
    'kitchen': ('dining room', 'utility room'), 'bathroom': ('utility room', 'bedroom'),
    'bedroom': ('living room', "child's room")}
#: How strongly a thing speaks for a room.
ROOM_CLUES: dict[str, dict[str, float]] = {
    'bedroom': {'bed': 3, 'single bed': 2, 'nightstand': 2, 'wardrobe': 1.5, 'dresser': 1,
                'alarm clock': 1},
    "child's room": {'toy chest': 2, 'teddy bear': 2, 'toy car': 2, 'building blocks': 2,
                     'single bed': 1},
    'living room': {'sofa': 3, 'coffee table': 2, 'tv stand': 2, 'television': 1.5, 'armchair': 1,
                    'cushion': 1, 'piano': 1, 'bookshelf': 0.5, 'floor lamp': 0.5, 'rug': 0.2,
                    'remote control': 0.5, 'curtain': 0.2},
    'kitchen': {'stove': 3, 'refrigerator': 3, 'kitchen counter': 3, 'kitchen cabinet': 2,
                'dishwasher': 2, 'microwave': 2, 'toaster': 1.5, 'kettle': 1, 'cooking pot': 1,
                'dining table': 0.8, 'trash can': 0.3, 'milk carton': 1},
    'bathroom': {'toilet': 3, 'bathtub': 3, 'shower': 3, 'washbasin': 2, 'sink': 1,
                 'towel rack': 1.5, 'bath mat': 1, 'soap dispenser': 1, 'washing machine': 1,
                 'toilet paper': 1},
    'utility room': {'tumble dryer': 2, 'washing machine': 1.5, 'ironing board': 2, 'bucket': 1,
                     'laundry basket': 0.8},
    'study': {'desk': 2, 'office chair': 2, 'monitor': 2, 'keyboard': 1, 'filing cabinet': 2,
              'printer': 1.5, 'bookshelf': 0.7, 'desk lamp': 1, 'laptop': 1},
    'dining room': {'dining table': 2, 'chair': 0.5, 'sideboard': 1},
    'hall': {'coat rack': 2, 'umbrella stand': 2, 'console table': 1.5, 'bench': 0.7, 'shoes': 1,
             'hat': 1}}
