"""The errors that the cores raise and the nodes catch at one boundary."""


class SemanticNavError(Exception):
    """Base of every named error; its message says what happened, with which value, what to do."""


class ConfigError(SemanticNavError):
    """A parameter, file or document of the operator is wrong."""


class ContractError(SemanticNavError):
    """A document that crosses a boundary breaks its schema."""


class ModelUnavailable(SemanticNavError):
    """The model server cannot be reached or refuses to serve."""


class ModelTimeout(SemanticNavError):
    """The model did not finish before the deadline."""


class ModelReplyError(SemanticNavError):
    """The model server's answer does not follow its protocol."""


class GateError(SemanticNavError):
    """A model's reply did not pass the gate."""


class GroundingError(SemanticNavError):
    """A box could not be turned into a position."""


class StoreError(SemanticNavError):
    """The memory's store is foreign, corrupt or not writable."""
