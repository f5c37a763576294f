"""Common knowledge of kinds of things: synonyms, look-alikes, and clues to rooms."""

from __future__ import annotations

#: Groups of kinds that are confused, in the spelling of `words.normalise`.
ALIKE = (
    ('mug', 'bowl', 'cup', 'glass', 'vase'), ('bottle', 'candle', 'soap dispenser'),
    ('sofa', 'armchair', 'bed'), ('chair', 'stool', 'bench', 'office chair'),
    ('table', 'coffee table', 'dining table', 'side table', 'desk', 'console table'),
    ('fridge', 'wardrobe', 'washing machine'), ('bookshelf', 'cabinet', 'dresser', 'sideboard'),
    ('book', 'laptop', 'box', 'tablet'), ('tv', 'monitor', 'picture', 'mirror'),
    ('sink', 'bath', 'toilet'), ('plant', 'lamp', 'floor lamp'), ('ball', 'apple', 'orange'),
    ('backpack', 'cushion', 'basket', 'bin'))

#: Colours that a colour is confused with, nearest first.
NEAR_COLOURS = {
    'red': ('orange', 'brown', 'pink'), 'orange': ('red', 'yellow', 'brown'),
    'yellow': ('orange', 'beige', 'white'), 'green': ('blue', 'grey', 'yellow'),
    'teal': ('green', 'blue', 'grey'), 'blue': ('purple', 'grey', 'black'),
    'navy': ('blue', 'black'), 'purple': ('blue', 'pink', 'black'),
    'pink': ('red', 'purple', 'white'), 'brown': ('black', 'red', 'beige'),
    'beige': ('white', 'brown', 'grey'), 'white': ('grey', 'beige'),
    'grey': ('white', 'black', 'blue'), 'black': ('grey', 'brown', 'blue')}

#: Other words for each kind; any of them is acceptable.
OTHER_WORDS = {
    'mug': ('cup', 'coffee mug', 'coffee cup'), 'cup': ('mug', 'teacup', 'coffee cup'),
    'bowl': ('dish', 'serving bowl'), 'fruit bowl': ('bowl', 'bowl of fruit'),
    'plate': ('dish', 'saucer'), 'glass': ('drinking glass', 'tumbler', 'cup'),
    'bottle': ('wine bottle', 'water bottle'), 'vase': ('pot', 'jar'),
    'kettle': ('teapot', 'electric kettle'), 'cooking pot': ('pot', 'saucepan'),
    'milk carton': ('carton', 'box'), 'book': ('notebook', 'hardcover'),
    'cushion': ('pillow', 'throw pillow'), 'television': ('tv', 'flat screen', 'screen'),
    'monitor': ('screen', 'computer monitor', 'display'), 'laptop': ('computer', 'notebook'),
    'keyboard': ('computer keyboard',), 'printer': ('office printer',),
    'remote control': ('remote', 'tv remote'), 'phone': ('smartphone', 'cell phone'),
    'alarm clock': ('clock', 'small clock'), 'wall clock': ('clock',),
    'ball': ('football', 'toy ball'), 'backpack': ('bag', 'rucksack'),
    'basket': ('bin', 'hamper'), 'laundry basket': ('hamper', 'basket', 'laundry hamper'),
    'soap dispenser': ('soap bottle', 'bottle', 'pump bottle'), 'lamp': ('table lamp', 'light'),
    'desk lamp': ('lamp', 'table lamp'), 'floor lamp': ('standing lamp', 'lamp'),
    'teddy bear': ('stuffed animal', 'plush toy'), 'toy car': ('toy', 'car'),
    'building blocks': ('toy blocks', 'blocks'), 'toy chest': ('storage box', 'chest'),
    'shoes': ('pair of shoes', 'sneakers'), 'hat': ('cap',), 'box': ('cardboard box', 'carton'),
    'cardboard box': ('box', 'carton'), 'tissue box': ('box of tissues', 'box'),
    'toilet paper': ('paper roll', 'roll'), 'candle': ('pillar candle',),
    'watering can': ('can', 'jug'), 'photo frame': ('picture frame', 'photo'),
    'bucket': ('pail',), 'toaster': ('kitchen appliance',), 'microwave': ('microwave oven',),
    'sofa': ('couch', 'settee'), 'armchair': ('chair', 'lounge chair', 'accent chair'),
    'chair': ('dining chair', 'seat'), 'office chair': ('desk chair', 'swivel chair', 'chair'),
    'stool': ('chair', 'low stool'), 'bench': ('seat', 'ottoman'),
    'coffee table': ('low table', 'table'), 'side table': ('end table', 'small table'),
    'console table': ('hallway table', 'table', 'sideboard'),
    'dining table': ('table', 'kitchen table'), 'tv stand': ('media console', 'tv cabinet'),
    'desk': ('table', 'writing desk', 'work desk'), 'bookshelf': ('bookcase', 'shelf', 'shelves'),
    'wall shelf': ('shelf', 'floating shelf'), 'filing cabinet': ('cabinet', 'drawer unit'),
    'cabinet': ('cupboard', 'kitchen cabinet'), 'kitchen cabinet': ('cabinet', 'cupboard'),
    'kitchen counter': ('counter', 'countertop', 'kitchen cabinets'),
    'sideboard': ('cabinet', 'buffet', 'credenza'), 'dresser': ('chest of drawers', 'drawers'),
    'nightstand': ('bedside table', 'side table'), 'wardrobe': ('closet', 'armoire'),
    'bed': ('double bed',), 'single bed': ('bed', 'twin bed'),
    'refrigerator': ('fridge',), 'stove': ('oven', 'cooker', 'range'),
    'dishwasher': ('kitchen appliance', 'washing machine'),
    'washing machine': ('washer', 'front-load washer'), 'tumble dryer': ('dryer', 'washer'),
    'trash can': ('bin', 'waste bin', 'garbage can'), 'umbrella stand': ('bin', 'stand'),
    'coat rack': ('coat stand', 'rack', 'coat hanger'), 'rug': ('carpet', 'area rug'),
    'bath mat': ('rug', 'mat'), 'curtain': ('curtains', 'drapes'), 'mirror': ('wall mirror',),
    'picture': ('painting', 'framed picture', 'wall art', 'framed art'),
    'potted plant': ('plant', 'houseplant', 'indoor plant'), 'radiator': ('heater',),
    'washbasin': ('sink', 'bathroom sink'), 'sink': ('washbasin', 'basin'),
    'bathtub': ('bath', 'tub'), 'shower': ('shower cabin', 'glass shower'),
    'towel rack': ('towel', 'hanging towel'), 'toilet': ('toilet bowl',),
    'ironing board': ('board', 'folding table'), 'piano': ('upright piano',),
    'guitar': ('acoustic guitar',), 'door': ('wooden door', 'doorway'),
    'person': ('man', 'woman', 'someone')}
#: Other words for each colour.
OTHER_COLOUR_WORDS = {
    'teal': ('turquoise', 'green', 'blue'), 'navy': ('dark blue', 'blue'),
    'beige': ('cream', 'tan', 'light'), 'grey': ('gray', 'silver'), 'brown': ('wooden', 'dark'),
    'black': ('dark',), 'white': ('light', 'cream'), 'red': ('dark red',),
    'yellow': ('golden',), 'pink': ('light pink',)}
#: Other words for each kind of room.
OTHER_ROOM_WORDS = {
    'living room': ('lounge', 'family room'), 'study': ('home office', 'office'),
    'hall': ('hallway', 'corridor', 'entryway'), "child's room": ('kids room', 'bedroom'),
    'utility room': ('laundry room',), 'dining room': ('dining area',),
    'kitchen': ('kitchen', 'kitchen area'), 'bathroom': ('bathroom', 'restroom'),
    'bedroom': ('bedroom', 'guest room')}
#: Rooms that a room is confused with.
NEAR_ROOMS = {
    'living room': ('study', 'dining room'), 'study': ('living room', 'bedroom'),
    'hall': ('living room', 'bedroom'), "child's room": ('bedroom', 'living room'),
    'utility room': ('bathroom', 'kitchen'), 'dining room': ('kitchen', 'living room'),
    'kitchen': ('dining room', 'utility room'), 'bathroom': ('utility room', 'bedroom'),
    'bedroom': ('living room', "child's room")}
#: Weight of each thing as a clue to a room.
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
