"""The kinds of small things that homes have: what can be carried away."""

from semantic_nav.sim.world.generator.kinds import Finish, Kind, by_name, cloths, glazes

OBJECTS = by_name(
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
    Kind('mug', ((0.095, 0.095, 0.115),), glazes(
        'red', 'blue', 'green', 'yellow', 'white', 'orange', 'black'), coloured=True),
    Kind('cup', ((0.15, 0.15, 0.085),), glazes(
        'white', 'blue', 'green', 'yellow', 'pink', 'red'), coloured=True),
    Kind('glass', ((0.075, 0.075, 0.14),), (Finish('clear', 'white', 'glass'), Finish(
        'green', 'green', 'green_glass')), recipe='drinking glass'),
    Kind('bowl', ((0.20, 0.20, 0.085),), glazes(
        'red', 'blue', 'yellow', 'green', 'white', 'orange'), coloured=True),
    Kind('plate', ((0.25, 0.25, 0.022),), glazes('white', 'blue', 'yellow'), coloured=True),
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
    Kind('cushion', ((0.14, 0.42, 0.40),), cloths(
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
