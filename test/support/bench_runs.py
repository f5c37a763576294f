"""What a mission could have come to, for tests of what is made of it."""

import math
from dataclasses import replace

from semantic_nav_sim.bench.runs import Run

GOOD = Run(absent=False, reached=True, success=True, honest=True, spl=0.8, soft_spl=0.8,
           wrong_object=False, false_not_here=False, world='generated:1', seed=1, goal='find it',
           number=1, outcome='arrived', reason='the target is in front of the robot',
           words='0.9 m from the red mug', path_m=10.0, shortest_m=8.0, model_calls=12,
           refusals={'UNREACHABLE': 2}, collisions=0, goals_sent=9, unvetted=(),
           simulated_s=120.0, wall_s=6.0, room_crossings=2)
SECOND = replace(GOOD, number=2, path_m=7.0)
LOST = replace(GOOD, outcome='gave_up', reached=False, success=False, spl=0.0, soft_spl=0.4)
ABSENT = replace(GOOD, seed=2, absent=True, outcome='not_here', reached=False, spl=None,
                 soft_spl=None, shortest_m=math.inf)
