"""Where small things are usually found in a home."""

from dataclasses import dataclass

FLOOR = 'floor'
LIVING, KITCHEN, BED, CHILD, GUEST, STUDY, BATH, UTILITY, DINING, HALL = (
    'living room', 'kitchen', 'bedroom', "child's room", 'guest room', 'study', 'bathroom',
    'utility room', 'dining room', 'hall')
SHELVES = ('sideboard', 'dresser', 'console table', 'bookshelf', 'filing cabinet', 'piano')
TABLES = ('coffee table', 'dining table', 'side table', 'desk', 'kitchen counter', 'nightstand')
WORKTOPS = ('kitchen counter', 'dishwasher', 'sideboard', 'dining table')


@dataclass(frozen=True)
class Habit:
    """Where things of one kind are usually found.

    Attributes:
        kind: of the things.
        supports: kinds of furniture, or FLOOR.
        rooms: kinds of rooms; none: any.
        chance: that there is one, beyond those that must be.
        surface: of the support; None: 'top', or its only one.
        most: how many.
    """

    kind: str
    supports: tuple[str, ...]
    rooms: tuple[str, ...] = ()
    chance: float = 1.0
    surface: str | None = None
    most: int = 1


#: What stands on the floor comes first: it takes the robot's way.
HABITS = (
    Habit('laundry basket', (FLOOR,), (UTILITY, BATH, BED)),
    Habit('backpack', (FLOOR,), (HALL, CHILD, STUDY, BED)),
    Habit('guitar', (FLOOR,), (CHILD, LIVING, STUDY, GUEST), 0.4),
    Habit('ball', (FLOOR,), (CHILD, LIVING, HALL)),
    Habit('bucket', (FLOOR,), (UTILITY, BATH, KITCHEN), 0.8),
    Habit('watering can', (FLOOR,), (UTILITY, KITCHEN, LIVING), 0.5),
    Habit('building blocks', (FLOOR,), (CHILD,)),
    Habit('toy car', (FLOOR, 'toy chest', 'coffee table', 'desk'), (CHILD, LIVING, STUDY), 0.8),
    Habit('shoes', ('bench',), (HALL,), surface='shelf'),
    Habit('lamp', ('nightstand', 'side table', 'dresser', 'console table'), most=3),
    Habit('soap dispenser', ('washbasin',), (BATH,)),
    Habit('microwave', ('kitchen counter', 'sideboard', 'dishwasher'), (KITCHEN, LIVING)),
    Habit('fruit bowl', ('dining table', 'sideboard', 'coffee table', 'kitchen counter'),
          (KITCHEN, DINING, LIVING)),
    Habit('cooking pot', ('stove', 'kitchen counter'), (KITCHEN, LIVING)),
    Habit('kettle', ('kitchen counter', 'dishwasher', 'sideboard', 'dining table'),
          (KITCHEN, LIVING)),
    Habit('toaster', ('kitchen counter', 'dishwasher', 'sideboard'), (KITCHEN, LIVING), 0.8),
    Habit('desk lamp', ('desk',), (STUDY, CHILD)),
    Habit('printer', ('filing cabinet', 'desk'), (STUDY,)),
    Habit('laptop', ('desk', 'dining table', 'coffee table'), chance=0.7),
    Habit('cushion', ('sofa', 'armchair'), surface='seat', most=2),
    Habit('teddy bear', ('single bed', 'toy chest'), (CHILD,)),
    Habit('vase', ('dining table', 'sideboard', 'console table', 'coffee table', 'dresser')),
    Habit('plate', ('dining table', 'kitchen counter'), (KITCHEN, DINING, LIVING), most=2),
    Habit('bowl', (*WORKTOPS, 'console table', 'coffee table'), (KITCHEN, DINING, LIVING, HALL)),
    Habit('cup', ('dining table', 'coffee table', 'side table', 'desk', 'kitchen counter'),
          (KITCHEN, DINING, LIVING, STUDY)),
    Habit('glass', ('nightstand', 'dining table', 'kitchen counter', 'side table')),
    Habit('bottle', ('dining table', 'kitchen counter', 'sideboard'), (KITCHEN, DINING, LIVING)),
    Habit('milk carton', ('kitchen counter', 'dining table', 'dishwasher'), (KITCHEN, LIVING)),
    Habit('book', ('coffee table', 'nightstand', 'desk', 'side table', *SHELVES), most=3),
    Habit('remote control', ('coffee table', 'tv stand', 'side table'), (LIVING,)),
    Habit('phone', ('console table', 'desk', 'nightstand', 'coffee table', 'sideboard')),
    Habit('headphones', ('desk', 'nightstand', 'coffee table'), (STUDY, CHILD, LIVING, BED), 0.6),
    Habit('alarm clock', ('nightstand', 'dresser'), (BED, GUEST, CHILD)),
    Habit('photo frame', SHELVES, chance=0.8),
    Habit('candle', ('dining table', 'sideboard', 'coffee table', 'dresser'), chance=0.7),
    Habit('tissue box', ('nightstand', 'dresser', 'coffee table', 'desk'), chance=0.8),
    Habit('toilet paper', ('washing machine', 'washbasin'), (BATH,), 0.4),
    Habit('hat', ('bench', 'dresser', 'console table', 'single bed', 'bed'), chance=0.6),
)
#: What is found elsewhere from mission to mission, and in how many places at most.
ROAMING = (('mug', 'red', 7), ('mug', None, 5), ('book', None, 4), ('cup', None, 4))
ROAMING_SUPPORTS = (*TABLES, 'dresser', 'console table', 'sideboard', 'filing cabinet',
                     'toy chest', 'washing machine')
