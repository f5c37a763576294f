"""Placement of movable objects in MuJoCo's data."""

from collections.abc import Mapping

import mujoco

from semantic_nav_sim.world.scene import Placing, Stage


class Mover:
    """The mocap bodies of one stage in one set of data. Not thread-safe."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, stage: Stage) -> None:
        """Place every movable object of the stage."""
        self._model, self._data = model, data
        self._rests = {**stage.placings,
                       **{person.id: person.placing for person in stage.scene.people}}
        self._moved: Mapping[str, Placing] = {}
        for thing in stage.scene.objects.values():
            if thing.movable:
                self._place(thing.id, self._rests[thing.id])

    def put(self, moved: Mapping[str, Placing]) -> bool:
        """Place some bodies, and return those of the last call to their rest.

        Returns:
            Whether anything changed. The caller must compute the kinematics.
        """
        if moved == self._moved:
            return False
        for name in self._moved.keys() - moved.keys():
            self._place(name, self._rests[name])
        for name, placing in moved.items():
            self._place(name, placing)
        self._moved = dict(moved)
        return True

    def _place(self, name: str, placing: Placing) -> None:
        mocap = self._model.body(name).mocapid[0]
        self._data.mocap_pos[mocap] = placing.position
        self._data.mocap_quat[mocap] = placing.quaternion
