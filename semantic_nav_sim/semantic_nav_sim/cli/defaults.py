"""Default home and goal of missions."""

#: Default home: six rooms leave something to search.
HOME = 'generated:{seed}:6'
#: Default goal: every generated home has one.
GOAL = 'find the red mug'
