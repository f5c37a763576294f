"""The kinds of furniture that homes have."""

from semantic_nav.sim.world.generator.kinds import (
    ALL_WOODS,
    PLAIN,
    WOODS,
    Finish,
    Kind,
    by_name,
    cloths,
    woods,
)

FURNITURE = by_name(
    Kind('sofa', ((0.92, 1.75, 0.82), (0.92, 2.1, 0.84), (0.96, 2.35, 0.80)),
         cloths('blue', 'grey', 'green', 'teal', 'beige', 'brown', 'navy', 'red', 'yellow'),
         coloured=True),
    Kind('armchair', ((0.80, 0.82, 0.84), (0.82, 0.90, 0.80)),
         cloths('brown', 'green', 'orange', 'yellow', 'grey', 'blue', 'pink', 'teal', 'red'),
         coloured=True),
    Kind('coffee table', ((0.55, 1.0, 0.42), (0.6, 1.15, 0.45), (0.7, 0.9, 0.40)),
         woods('oak', 'walnut', 'pine', 'black', 'white')),
    Kind('side table', ((0.42, 0.42, 0.52), (0.46, 0.46, 0.56)),
         woods('oak', 'walnut', 'white', 'black', trim='black_metal')),
    Kind('tv stand', ((0.42, 1.5, 0.46), (0.40, 1.8, 0.50)),
         woods('oak', 'walnut', 'white', 'black', 'grey', trim='black_metal')),
    Kind('bookshelf', ((0.30, 0.85, 1.9), (0.30, 1.2, 1.75), (0.30, 0.8, 1.2)),
         tuple(Finish(w, WOODS[w][0], WOODS[w][1], None, f'book_spines_{f}')
               for w, f in (('oak', 'a'), ('walnut', 'b'), ('white', 'a'), ('black', 'b')))),
    Kind('sideboard', ((0.42, 1.3, 0.84), (0.42, 1.6, 0.80)),
         woods('oak', 'walnut', 'white', 'grey', 'green', 'blue')),
    Kind('dining table', ((0.85, 1.3, 0.75), (0.9, 1.5, 0.75), (0.9, 1.8, 0.75)),
         woods('oak', 'walnut', 'pine', 'white')),
    Kind('chair', ((0.46, 0.44, 0.90),), (
        Finish('oak', 'brown', 'oak', 'grey_fabric'),
        Finish('pine', 'beige', 'pine', 'red_fabric'),
        Finish('walnut', 'brown', 'walnut', 'beige_fabric'),
        Finish('white', 'white', 'white_paint', 'blue_fabric'),
        Finish('black', 'black', 'black_wood', 'grey_fabric'),
        Finish('green', 'green', 'green_paint', 'beige_fabric')), coloured=True, alike=True,
        margin=0.03),
    Kind('stool', ((0.34, 0.34, 0.46),), woods('oak', 'white', 'black', 'green')),
    Kind('bed', ((2.1, 1.6, 0.95), (2.05, 1.45, 1.05)), tuple(
        Finish(cloth, cloth, wood, f'{cloth}_fabric', 'white_fabric') for cloth, wood in (
            ('teal', 'walnut'), ('blue', 'oak'), ('grey', 'black_wood'), ('green', 'pine'),
            ('beige', 'walnut'), ('pink', 'white_paint'))), margin=0.06),
    Kind('single bed', ((2.05, 0.95, 0.85), (2.05, 1.2, 0.9)), tuple(
        Finish(cloth, cloth, wood, f'{cloth}_fabric', 'white_fabric') for cloth, wood in (
            ('yellow', 'white_paint'), ('red', 'pine'), ('blue', 'white_paint'),
            ('purple', 'oak'), ('orange', 'grey_paint'))), recipe='bed', margin=0.06),
    Kind('nightstand', ((0.40, 0.44, 0.50), (0.38, 0.40, 0.55)), woods(*ALL_WOODS)),
    Kind('wardrobe', ((0.60, 1.0, 2.05), (0.60, 1.5, 2.1), (0.60, 1.9, 2.1)),
         woods('oak', 'pine', 'white', 'walnut', 'grey', trim='steel')),
    Kind('dresser', ((0.45, 1.0, 0.82), (0.45, 1.2, 0.80)), woods(*ALL_WOODS)),
    Kind('desk', ((0.65, 1.3, 0.74), (0.7, 1.5, 0.74)),
         woods('oak', 'walnut', 'white', 'pine', 'black', trim='black_metal')),
    Kind('office chair', ((0.60, 0.60, 1.0),), cloths('black', 'grey', 'blue', 'red', 'green'),
         margin=0.02),
    Kind('filing cabinet', ((0.52, 0.45, 0.70),), woods('grey', 'white', 'blue', trim='steel')),
    Kind('console table', ((0.30, 0.9, 0.82), (0.30, 1.1, 0.80)),
         woods('oak', 'walnut', 'white', 'black', trim='black_metal')),
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
    Kind('toilet', ((0.68, 0.38, 0.80),), PLAIN),
    Kind('washbasin', ((0.46, 0.60, 0.86), (0.46, 0.80, 0.86)), (
        Finish('white', 'white', 'ceramic', 'white_paint'),
        Finish('oak', 'brown', 'ceramic', 'oak'), Finish('grey', 'grey', 'ceramic', 'grey_paint'),
        ), recipe='sink'),
    Kind('bathtub', ((0.76, 1.7, 0.56), (0.74, 1.6, 0.56)), PLAIN),
    Kind('washing machine', ((0.60, 0.60, 0.85),), (Finish('white', 'white'),)),
    Kind('towel rack', ((0.10, 0.56, 0.60),), cloths(
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
    Kind('curtain', ((0.10, 0.45, 2.35),), cloths(
        'beige', 'blue', 'white', 'green', 'grey', 'yellow', 'red', 'teal', 'orange'),
        coloured=True, alike=True, margin=0.0),
    Kind('cardboard box', ((0.34, 0.46, 0.32), (0.4, 0.4, 0.4)),
         (Finish('brown', 'brown', 'cardboard'),), recipe='box'),
    Kind('shower', ((0.90, 0.90, 2.0), (0.80, 1.0, 2.0)), PLAIN),
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
    Kind('wall shelf', ((0.22, 0.8, 0.24), (0.22, 1.0, 0.24)), woods('oak', 'walnut', 'white')),
)
