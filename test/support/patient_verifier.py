"""The verifier as a process that waits for signs of life as long as a rig's nodes do."""

from fake_nav2 import lose_nobody_early

from semantic_nav.nodes.verifier import main

if __name__ == '__main__':
    lose_nobody_early()
    main()
