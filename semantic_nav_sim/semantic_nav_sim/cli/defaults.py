"""Where missions take place and what is sought in them, where neither is named."""

#: Where missions take place when no world is named: six rooms leave something to look for.
HOME = 'generated:{seed}:6'
#: What is sought there when no goal is named: every generated home has one.
GOAL = 'find the red mug'
