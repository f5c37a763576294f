"""What can go wrong in a lookup."""


class TransformException(Exception):
    """The base of all errors of the buffer."""


class ConnectivityException(TransformException):
    """Both frames are known, but nothing connects them."""


class LookupException(TransformException):
    """A frame is not known."""


class ExtrapolationException(TransformException):
    """The time asked for lies outside the stored transforms."""


class InvalidArgumentException(TransformException):
    """A frame name is empty or begins with a slash."""


class TimeoutException(TransformException):
    """The lookup did not finish in time."""
