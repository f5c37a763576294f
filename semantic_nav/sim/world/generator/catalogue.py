"""What homes are furnished with: kinds of things, their sizes, colours and materials."""

from dataclasses import dataclass

from semantic_nav.sim.world.description import Point3


@dataclass(frozen=True)
class Finish:
    """One look of a thing.

    Attributes:
        word: what people put before the noun ('oak', 'blue').
        colour: the word for its main colour.
        material, trim, face: as in a world's item; None takes the recipe's own.
    """

    word: str
    colour: str
    material: str | None = None
    trim: str | None = None
    face: str | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of thing.

    Attributes:
        name: a plain noun.
        sizes: depth, width and height, to choose from.
        finishes: to choose from.
        recipe: how it is built, where that is not its name.
        coloured: people name it with its colour ('red mug').
        alike: several of them may share one name, as chairs at a table do.
        margin: how far it stands out beyond its size, metres.
    """

    name: str
    sizes: tuple[Point3, ...]
    finishes: tuple[Finish, ...]
    recipe: str | None = None
    coloured: bool = False
    alike: bool = False
    margin: float = 0.01


def _woods(*words: str, trim: str | None = '') -> tuple[Finish, ...]:
    """Return wooden finishes; an empty trim takes the same wood."""
    return tuple(Finish(word, WOODS[word][0], WOODS[word][1],
                        WOODS[word][1] if trim == '' else trim) for word in words)


def _cloths(*words: str, trim: str | None = None) -> tuple[Finish, ...]:
    return tuple(Finish(word, word, CLOTHS[word], trim) for word in words)


def _glazes(*words: str, trim: str | None = None) -> tuple[Finish, ...]:
    return tuple(Finish(word, word, GLAZES[word], trim) for word in words)


WOODS = {'oak': ('brown', 'oak'), 'walnut': ('brown', 'walnut'), 'pine': ('beige', 'pine'),
         'white': ('white', 'white_paint'), 'grey': ('grey', 'grey_paint'),
         'black': ('black', 'black_wood'), 'blue': ('blue', 'blue_paint'),
         'green': ('green', 'green_paint')}
CLOTHS = {word: f'{word}_fabric' for word in (
    'blue', 'grey', 'white', 'teal', 'orange', 'yellow', 'green', 'red', 'navy', 'beige', 'pink',
    'purple')} | {'brown': 'brown_leather', 'black': 'black_leather'}
GLAZES = {word: f'{word}_glaze' for word in (
    'red', 'blue', 'green', 'yellow', 'orange', 'black', 'pink', 'purple')} | {'white': 'ceramic'}
_ALL_WOODS = ('oak', 'walnut', 'pine', 'white', 'grey', 'black')
_PLAIN = (Finish('white', 'white'),)


def _kinds(*kinds: Kind) -> dict[str, Kind]:
    return {kind.name: kind for kind in kinds}


FURNITURE = _kinds(
    Kind('sofa', ((0.92, 1.75, 0.82), (0.92, 2.1, 0.84), (0.96, 2.35, 0.80)),
         _cloths('blue', 'grey', 'green', 'teal', 'beige', 'brown', 'navy', 'red', 'yellow'),
         coloured=True),
    Kind('armchair', ((0.80, 0.82, 0.84), (0.82, 0.90, 0.80)),
         _cloths('brown', 'green', 'orange', 'yellow', 'grey', 'blue', 'pink', 'teal', 'red'),
         coloured=True),
    Kind('coffee table', ((0.55, 1.0, 0.42), (0.6, 1.15, 0.45), (0.7, 0.9, 0.40)),
         _woods('oak', 'walnut', 'pine', 'black', 'white')),
    Kind('side table', ((0.42, 0.42, 0.52), (0.46, 0.46, 0.56)),
         _woods('oak', 'walnut', 'white', 'black', trim='black_metal')),
    Kind('tv stand', ((0.42, 1.5, 0.46), (0.40, 1.8, 0.50)),
         _woods('oak', 'walnut', 'white', 'black', 'grey', trim='black_metal')),
    Kind('bookshelf', ((0.30, 0.85, 1.9), (0.30, 1.2, 1.75), (0.30, 0.8, 1.2)),
         tuple(Finish(w, WOODS[w][0], WOODS[w][1], None, f'book_spines_{f}')
               for w, f in (('oak', 'a'), ('walnut', 'b'), ('white', 'a'), ('black', 'b')))),
    Kind('sideboard', ((0.42, 1.3, 0.84), (0.42, 1.6, 0.80)),
         _woods('oak', 'walnut', 'white', 'grey', 'green', 'blue')),
    Kind('dining table', ((0.85, 1.3, 0.75), (0.9, 1.5, 0.75), (0.9, 1.8, 0.75)),
         _woods('oak', 'walnut', 'pine', 'white')),
    Kind('chair', ((0.46, 0.44, 0.90),), (
        Finish('oak', 'brown', 'oak', 'grey_fabric'),
        Finish('pine', 'beige', 'pine', 'red_fabric'),
        Finish('walnut', 'brown', 'walnut', 'beige_fabric'),
        Finish('white', 'white', 'white_paint', 'blue_fabric'),
        Finish('black', 'black', 'black_wood', 'grey_fabric'),
        Finish('green', 'green', 'green_paint', 'beige_fabric')), coloured=True, alike=True,
        margin=0.03),
    Kind('stool', ((0.34, 0.34, 0.46),), _woods('oak', 'white', 'black', 'green')),
    Kind('bed', ((2.1, 1.6, 0.95), (2.05, 1.45, 1.05)), tuple(
        Finish(cloth, cloth, wood, f'{cloth}_fabric', 'white_fabric') for cloth, wood in (
            ('teal', 'walnut'), ('blue', 'oak'), ('grey', 'black_wood'), ('green', 'pine'),
            ('beige', 'walnut'), ('pink', 'white_paint'))), margin=0.06),
    Kind('single bed', ((2.05, 0.95, 0.85), (2.05, 1.2, 0.9)), tuple(
        Finish(cloth, cloth, wood, f'{cloth}_fabric', 'white_fabric') for cloth, wood in (
            ('yellow', 'white_paint'), ('red', 'pine'), ('blue', 'white_paint'),
            ('purple', 'oak'), ('orange', 'grey_paint'))), recipe='bed', margin=0.06),
    Kind('nightstand', ((0.40, 0.44, 0.50), (0.38, 0.40, 0.55)), _woods(*_ALL_WOODS)),
    Kind('wardrobe', ((0.60, 1.0, 2.05), (0.60, 1.5, 2.1), (0.60, 1.9, 2.1)),
         _woods('oak', 'pine', 'white', 'walnut', 'grey', trim='steel')),
    Kind('dresser', ((0.45, 1.0, 0.82), (0.45, 1.2, 0.80)), _woods(*_ALL_WOODS)),
    Kind('desk', ((0.65, 1.3, 0.74), (0.7, 1.5, 0.74)),
         _woods('oak', 'walnut', 'white', 'pine', 'black', trim='black_metal')),
    Kind('office chair', ((0.60, 0.60, 1.0),), _cloths('black', 'grey', 'blue', 'red', 'green'),
         margin=0.02),
    Kind('filing cabinet', ((0.52, 0.45, 0.70),), _woods('grey', 'white', 'blue', trim='steel')),
    Kind('console table', ((0.30, 0.9, 0.82), (0.30, 1.1, 0.80)),
         _woods('oak', 'walnut', 'white', 'black', trim='black_metal')),
    Kind('bench', ((0.34, 0.9, 0.46), (0.34, 1.1, 0.46)), tuple(
        Finish(w, WOODS[w][0], WOODS[w][1], f'{c}_fabric') for w, c in (
            ('oak', 'beige'), ('white', 'grey'), ('walnut', 'teal'), ('pine', 'green')))),
    Kind('coat rack', ((0.44, 0.44, 1.75),), tuple(
        Finish(w, WOODS[w][0], WOODS[w][1], f'{c}_fabric') for w, c in (
            ('walnut', 'navy'), ('black', 'red'), ('white', 'green'))), margin=0.06),
    Kind('umbrella stand', ((0.24, 0.24, 0.88),), (
        Finish('black', 'black', 'black_metal', 'navy_fabric'),
        Finish('white', 'white', 'white_plastic', 'red_fabric')), margin=0.04),
    Kind('refrigerator', ((0.64, 0.66, 1.80), (0.64, 0.62, 1.65)), (
        Finish('grey', 'grey', 'steel'), Finish('white', 'white', 'white_plastic'),
        Finish('red', 'red', 'red_glaze'), Finish('green', 'green', 'green_paint'))),
    Kind('kitchen counter', ((0.60, 2.3, 0.90), (0.60, 1.9, 0.90), (0.60, 1.6, 0.90)), (
        Finish('white', 'white', 'white_paint', 'marble'),
        Finish('grey', 'grey', 'grey_paint', 'oak'), Finish('blue', 'blue', 'blue_paint', 'oak'),
        Finish('green', 'green', 'green_paint', 'marble'),
        Finish('oak', 'brown', 'oak', 'black_stone'))),
    Kind('stove', ((0.60, 0.60, 0.90),), (
        Finish('white', 'white', 'white_paint', 'black_plastic'),
        Finish('grey', 'grey', 'steel', 'black_plastic'),
        Finish('black', 'black', 'black_wood', 'grey_plastic'))),
    Kind('kitchen cabinet', ((0.34, 0.9, 0.70), (0.34, 1.2, 0.70)), (
        Finish('white', 'white', 'white_paint', 'steel'),
        Finish('grey', 'grey', 'grey_paint', 'steel'),
        Finish('blue', 'blue', 'blue_paint', 'steel'),
        Finish('green', 'green', 'green_paint', 'steel'),
        Finish('oak', 'brown', 'oak', 'steel')), recipe='cabinet', alike=True),
    Kind('trash can', ((0.30, 0.30, 0.46), (0.26, 0.26, 0.60)), (
        Finish('grey', 'grey', 'steel'), Finish('white', 'white', 'white_plastic'),
        Finish('red', 'red', 'red_glaze'), Finish('black', 'black', 'black_plastic')),
        margin=0.03),
    Kind('toilet', ((0.68, 0.38, 0.80),), _PLAIN),
    Kind('washbasin', ((0.46, 0.60, 0.86), (0.46, 0.80, 0.86)), (
        Finish('white', 'white', 'ceramic', 'white_paint'),
        Finish('oak', 'brown', 'ceramic', 'oak'), Finish('grey', 'grey', 'ceramic', 'grey_paint'),
        ), recipe='sink'),
    Kind('bathtub', ((0.76, 1.7, 0.56), (0.74, 1.6, 0.56)), _PLAIN),
    Kind('washing machine', ((0.60, 0.60, 0.85),), (Finish('white', 'white'),)),
    Kind('towel rack', ((0.10, 0.56, 0.60),), _cloths(
        'teal', 'red', 'yellow', 'blue', 'green', 'orange', 'pink')),
    Kind('mirror', ((0.03, 0.55, 0.75), (0.03, 0.7, 0.7), (0.03, 0.5, 1.3)),
         (Finish('silver', 'grey'), Finish('oak', 'brown', 'oak'),
          Finish('black', 'black', 'black_metal'))),
    Kind('picture', ((0.03, 0.9, 0.65), (0.03, 0.6, 0.6), (0.03, 0.5, 0.7), (0.03, 0.7, 0.5)), (
        Finish('landscape', 'green', 'walnut', None, 'landscape_hills'),
        Finish('lake', 'blue', 'oak', None, 'landscape_lake'),
        Finish('abstract', 'orange', 'black_metal', None, 'abstract_discs'),
        Finish('modern', 'yellow', 'white_paint', None, 'abstract_bars'),
        Finish('colourful', 'red', 'black_metal', None, 'abstract_blocks'),
        Finish('mountain', 'blue', 'white_paint', None, 'landscape_peaks')), coloured=True),
    Kind('wall clock', ((0.05, 0.34, 0.34),), (Finish('black', 'black', 'black_plastic'),
                                               Finish('red', 'red', 'red_glaze'),
                                               Finish('blue', 'blue', 'blue_glaze'))),
    Kind('potted plant', ((0.75, 0.75, 1.2), (0.6, 0.6, 1.0), (0.5, 0.5, 0.8)), (
        Finish('leafy', 'green', 'leaf', 'terracotta'), Finish('dark', 'green', 'dark_leaf',
                                                              'ceramic'),
        Finish('tall', 'green', 'leaf', 'black_plastic'), Finish('pale', 'green', 'pale_leaf',
                                                                'blue_glaze'))),
    Kind('floor lamp', ((0.42, 0.42, 1.62), (0.36, 0.36, 1.5)), (
        Finish('white', 'white', 'lampshade', 'black_metal'),
        Finish('brass', 'yellow', 'lampshade', 'brass'))),
    Kind('rug', ((1.6, 2.3, 0.008), (1.4, 2.0, 0.008), (1.7, 2.6, 0.008)), (
        Finish('red', 'red', 'persian_rug'), Finish('blue', 'blue', 'blue_rug'),
        Finish('grey', 'grey', 'grey_rug'), Finish('green', 'green', 'green_rug'),
        Finish('beige', 'beige', 'beige_rug'), Finish('pink', 'pink', 'pink_rug'),
        Finish('orange', 'orange', 'orange_rug')), coloured=True),
    Kind('bath mat', ((0.5, 0.8, 0.008),), (
        Finish('white', 'white', 'white_mat'), Finish('blue', 'blue', 'blue_rug')), recipe='rug'),
    Kind('curtain', ((0.10, 0.45, 2.35),), _cloths(
        'beige', 'blue', 'white', 'green', 'grey', 'yellow', 'red', 'teal', 'orange'),
        coloured=True, alike=True, margin=0.0),
    Kind('cardboard box', ((0.34, 0.46, 0.32), (0.4, 0.4, 0.4)),
         (Finish('brown', 'brown', 'cardboard'),), recipe='box'),
    Kind('shower', ((0.90, 0.90, 2.0), (0.80, 1.0, 2.0)), _PLAIN),
    Kind('dishwasher', ((0.60, 0.60, 0.86),), (Finish('white', 'white', 'white_plastic'),
                                               Finish('grey', 'grey', 'steel'))),
    Kind('tumble dryer', ((0.60, 0.60, 0.85),), (
        Finish('grey', 'grey', 'grey_paint', 'black_plastic'),
        Finish('white', 'white', 'white_plastic', 'black_plastic')), recipe='washing machine'),
    Kind('toy chest', ((0.42, 0.8, 0.45),), (
        Finish('red', 'red', 'red_glaze', 'yellow_plastic'),
        Finish('blue', 'blue', 'blue_paint', 'white_paint'),
        Finish('white', 'white', 'white_paint', 'pink_fabric'))),
    Kind('radiator', ((0.09, 1.0, 0.58),), (Finish('white', 'white', 'white_paint'),),
         alike=True),
    Kind('ironing board', ((0.36, 1.2, 0.88),), (
        Finish('blue', 'blue', 'blue_fabric', 'steel'),
        Finish('striped', 'blue', 'striped_fabric', 'steel'))),
    Kind('piano', ((0.60, 1.45, 1.15),), (Finish('black', 'black', 'black_wood'),
                                          Finish('walnut', 'brown', 'walnut'))),
    Kind('wall shelf', ((0.22, 0.8, 0.24), (0.22, 1.0, 0.24)), _woods('oak', 'walnut', 'white')),
)

#: What can be carried away.
OBJECTS = _kinds(
    Kind('television', ((0.24, 1.1, 0.70), (0.24, 1.24, 0.78)),
         (Finish('black', 'black'),)),
    Kind('monitor', ((0.20, 0.60, 0.50),), (Finish('black', 'black'), Finish(
        'white', 'white', 'white_plastic'))),
    Kind('keyboard', ((0.14, 0.44, 0.02),), (Finish('black', 'black'), Finish(
        'white', 'white', 'white_plastic'))),
    Kind('laptop', ((0.26, 0.34, 0.24),), (Finish('silver', 'grey'), Finish(
        'black', 'black', 'black_metal'))),
    Kind('printer', ((0.36, 0.42, 0.24),), (Finish('white', 'white'),)),
    Kind('lamp', ((0.26, 0.26, 0.40), (0.22, 0.22, 0.34)), (
        Finish('white', 'white', 'lampshade', 'ceramic'),
        Finish('blue', 'blue', 'lampshade', 'blue_glaze'),
        Finish('green', 'green', 'lampshade', 'green_glaze'),
        Finish('brass', 'yellow', 'lampshade', 'brass')), coloured=True),
    Kind('desk lamp', ((0.36, 0.18, 0.46),), (Finish('black', 'black', 'black_metal'),
                                              Finish('red', 'red', 'red_glaze'),
                                              Finish('white', 'white', 'white_plastic'))),
    Kind('alarm clock', ((0.07, 0.15, 0.08),), (Finish('black', 'black'), Finish(
        'red', 'red', 'red_glaze'), Finish('white', 'white', 'white_plastic'))),
    Kind('remote control', ((0.17, 0.05, 0.02),), (Finish('black', 'black'),)),
    Kind('phone', ((0.15, 0.075, 0.012),), (Finish('black', 'black'), Finish(
        'white', 'white', 'white_plastic'))),
    Kind('headphones', ((0.19, 0.19, 0.09),), (Finish('black', 'black'), Finish(
        'red', 'red', 'red_glaze'))),
    Kind('microwave', ((0.36, 0.50, 0.29),), (Finish('black', 'black'),)),
    Kind('toaster', ((0.18, 0.29, 0.19),), (Finish('silver', 'grey'), Finish(
        'red', 'red', 'red_glaze'), Finish('blue', 'blue', 'blue_glaze'))),
    Kind('kettle', ((0.17, 0.22, 0.25),), (Finish('silver', 'grey'), Finish(
        'white', 'white', 'white_plastic'), Finish('green', 'green', 'green_glaze'))),
    Kind('cooking pot', ((0.24, 0.34, 0.17),), (Finish('silver', 'grey'), Finish(
        'red', 'red', 'red_glaze'), Finish('orange', 'orange', 'orange_glaze')), recipe='pot'),
    Kind('mug', ((0.095, 0.095, 0.115),), _glazes(
        'red', 'blue', 'green', 'yellow', 'white', 'orange', 'black'), coloured=True),
    Kind('cup', ((0.15, 0.15, 0.085),), _glazes(
        'white', 'blue', 'green', 'yellow', 'pink', 'red'), coloured=True),
    Kind('glass', ((0.075, 0.075, 0.14),), (Finish('clear', 'white', 'glass'), Finish(
        'green', 'green', 'green_glass')), recipe='drinking glass'),
    Kind('bowl', ((0.20, 0.20, 0.085),), _glazes(
        'red', 'blue', 'yellow', 'green', 'white', 'orange'), coloured=True),
    Kind('plate', ((0.25, 0.25, 0.022),), _glazes('white', 'blue', 'yellow'), coloured=True),
    Kind('bottle', ((0.08, 0.08, 0.31),), (Finish('green', 'green'), Finish(
        'blue', 'blue', 'blue_glaze'), Finish('brown', 'brown', 'brown_glass'), Finish(
        'red', 'red', 'red_glaze')), coloured=True),
    Kind('fruit bowl', ((0.28, 0.28, 0.14),), (Finish('white', 'white'),)),
    Kind('milk carton', ((0.08, 0.08, 0.24),), (Finish('white', 'white'),)),
    Kind('vase', ((0.16, 0.16, 0.34),), (
        Finish('green', 'green', 'green_glaze', 'yellow_fabric'),
        Finish('blue', 'blue', 'blue_glaze', 'white_fabric'),
        Finish('white', 'white', 'ceramic', 'red_fabric'),
        Finish('yellow', 'yellow', 'yellow_glaze', 'purple_fabric'),
        Finish('red', 'red', 'red_glaze', 'yellow_fabric'),
        Finish('purple', 'purple', 'purple_glaze', 'pink_fabric')), coloured=True),
    Kind('book', ((0.16, 0.22, 0.032), (0.19, 0.26, 0.045)), (
        Finish('red', 'red', 'red_fabric', None, 'red_cover'),
        Finish('blue', 'blue', 'navy_fabric', None, 'blue_cover'),
        Finish('green', 'green', 'green_fabric', None, 'green_cover'),
        Finish('yellow', 'yellow', 'yellow_fabric', None, 'yellow_cover')), coloured=True),
    Kind('photo frame', ((0.10, 0.18, 0.24),), (
        Finish('oak', 'brown', 'oak', None, 'landscape_lake'),
        Finish('black', 'black', 'black_metal', None, 'landscape_peaks'))),
    Kind('candle', ((0.09, 0.09, 0.17),), (Finish('red', 'red', 'red_skin', 'brass'), Finish(
        'white', 'white', 'white_plastic', 'black_metal'), Finish(
        'green', 'green', 'green_skin', 'brass')), coloured=True),
    Kind('tissue box', ((0.13, 0.24, 0.14),), (
        Finish('blue', 'blue', 'blue_paint'), Finish('pink', 'pink', 'pink_glaze'),
        Finish('green', 'green', 'green_paint'))),
    Kind('soap dispenser', ((0.07, 0.07, 0.18),), (Finish('white', 'white'), Finish(
        'blue', 'blue', 'blue_glaze'), Finish('green', 'green', 'green_glaze'))),
    Kind('toilet paper', ((0.12, 0.12, 0.11),), (Finish('white', 'white'),)),
    Kind('cushion', ((0.14, 0.42, 0.40),), _cloths(
        'orange', 'yellow', 'red', 'green', 'blue', 'white', 'pink', 'purple', 'teal'),
        coloured=True),
    Kind('teddy bear', ((0.24, 0.26, 0.34),), (
        Finish('brown', 'brown', 'teddy', 'beige_fabric'),
        Finish('white', 'white', 'white_fabric', 'pink_fabric'))),
    Kind('toy car', ((0.20, 0.10, 0.085),), (
        Finish('yellow', 'yellow', 'yellow_plastic'), Finish('red', 'red', 'red_glaze'),
        Finish('blue', 'blue', 'blue_glaze'), Finish('green', 'green', 'green_glaze')),
        coloured=True),
    Kind('building blocks', ((0.22, 0.22, 0.16),), (Finish(
        'colourful', 'red', 'red_glaze', 'blue_glaze', 'yellow_plastic'),)),
    Kind('ball', ((0.22, 0.22, 0.22),), (
        Finish('white', 'white'), Finish('red', 'red', 'red_glaze', 'ceramic'),
        Finish('blue', 'blue', 'blue_glaze', 'yellow_plastic')), coloured=True),
    Kind('backpack', ((0.22, 0.34, 0.46),), (
        Finish('blue', 'blue', 'navy_fabric', 'orange_fabric'),
        Finish('red', 'red', 'red_fabric', 'black_plastic'),
        Finish('green', 'green', 'green_fabric', 'yellow_fabric'),
        Finish('grey', 'grey', 'grey_fabric', 'teal_fabric')), coloured=True),
    Kind('shoes', ((0.28, 0.24, 0.11),), (
        Finish('black', 'black', 'black_leather'), Finish('brown', 'brown', 'brown_leather'),
        Finish('red', 'red', 'red_fabric'), Finish('white', 'white', 'white_fabric')),
        coloured=True),
    Kind('hat', ((0.30, 0.30, 0.13),), (
        Finish('straw', 'beige', 'wicker', 'red_fabric'),
        Finish('black', 'black', 'grey_fabric', 'black_plastic'),
        Finish('blue', 'blue', 'navy_fabric', 'white_fabric')), coloured=True),
    Kind('guitar', ((0.20, 0.38, 1.0),), (Finish('brown', 'brown', 'pine', 'walnut'),
                                          Finish('red', 'red', 'red_glaze', 'walnut'))),
    Kind('laundry basket', ((0.42, 0.42, 0.50),), (
        Finish('beige', 'beige'), Finish('white', 'white', 'white_plastic', 'blue_fabric')),
        recipe='basket'),
    Kind('bucket', ((0.28, 0.28, 0.27),), (Finish('blue', 'blue', 'blue_glaze'), Finish(
        'red', 'red', 'red_glaze'), Finish('grey', 'grey', 'grey_plastic')), coloured=True),
    Kind('watering can', ((0.36, 0.18, 0.26),), (Finish('green', 'green', 'green_glaze'), Finish(
        'grey', 'grey', 'steel'))),
)

#: Kinds that look much alike, and colours that do: what a careless eye mixes up.
SIMILAR_KINDS = {'mug': ('cup', 'vase'), 'cup': ('mug', 'bowl'), 'bowl': ('cup', 'plate'),
                 'vase': ('bottle', 'mug'), 'bottle': ('vase', 'candle'),
                 'book': ('tissue box', 'cushion'), 'cushion': ('backpack', 'book'),
                 'ball': ('bowl', 'toy car'), 'toy car': ('ball', 'mug'),
                 'backpack': ('cushion', 'shoes'), 'bucket': ('vase', 'cooking pot')}
SIMILAR_COLOURS = {'red': ('orange', 'pink'), 'blue': ('green', 'teal', 'purple', 'black'),
                   'green': ('yellow', 'blue', 'teal'), 'yellow': ('orange', 'white', 'green'),
                   'white': ('yellow', 'grey', 'beige'), 'orange': ('red', 'yellow'),
                   'black': ('grey', 'blue', 'brown'), 'brown': ('orange', 'black', 'red'),
                   'grey': ('white', 'black', 'blue'), 'pink': ('red', 'purple'),
                   'purple': ('blue', 'pink'), 'teal': ('blue', 'green'),
                   'beige': ('white', 'yellow', 'brown')}


def kind_of(words: str) -> Kind | None:
    """Return the kind that a thing's name ends with ('mug' of 'red mug'), or None."""
    for known in (FURNITURE, OBJECTS):
        for name, kind in known.items():
            if words == name:
                return kind
            if words.endswith(f' {name}'):
                word = words.removesuffix(f' {name}')
                if any(word in (look.word, look.colour) for look in kind.finishes):
                    return kind
    return None
