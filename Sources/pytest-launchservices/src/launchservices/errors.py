"""The errors of the daemon, by the names of its D-Bus contract."""

from __future__ import annotations

_PREFIX = "org.launchservices.Error."
_ABSENCES = tuple(
    "org.freedesktop.DBus.Error." + name for name in ("ServiceUnknown", "NameHasNoOwner", "TimedOut", "Spawn.")
)
"""The errors with which a bus answers a call of a daemon that does not run."""
_NOBODY = "org.freedesktop.DBus.Error.ServiceUnknown"
"""The error when nobody on the bus is the daemon, and the bus cannot start it."""


class LaunchServicesError(Exception):
    """An error reply of the daemon, or a daemon that cannot be reached.

    ``except ApplicationNotFound`` catches one kind; ``name`` has the kind for all of them.
    """

    name: str
    """The name, such as ``ApplicationNotFound``; with its prefix when it is no error of the daemon."""
    message: str
    """The sentence of the error."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message

    def __reduce__(self) -> tuple[object, ...]:
        # Without this, an error of a test cannot be sent between the processes of pytest-xdist.
        return (LaunchServicesError.of, (self.name, self.message))

    @staticmethod
    def of(name: str, message: str) -> LaunchServicesError:
        """The error of this D-Bus name, of its own class when it has one."""
        if name.startswith(_ABSENCES):
            is_nobody = name == _NOBODY
            name = "ServiceUnreachable"
            message = (
                f"launchservicesd does not run, and the bus cannot start it: {message}; start it, for example with"
                " 'launchservicesd &', or install it with systemd/install"
            )
            if is_nobody:
                return NobodyOnBus(name, message)
        short = name.removeprefix(_PREFIX)
        kind = _KINDS.get(short, LaunchServicesError)
        return kind(short, message)


class InvalidURL(LaunchServicesError):
    """The text is not a URL, or the format of the scheme does not allow the URL."""


class ApplicationNotFound(LaunchServicesError):
    """No application handles the URL."""


class AmbiguousHandler(LaunchServicesError):
    """Several applications handle the URL, and the settings make that an error."""


class NoExecutable(LaunchServicesError):
    """The application has no program."""


class LaunchFailed(LaunchServicesError):
    """The application could not be started."""


class LaunchTimedOut(LaunchServicesError):
    """The application did not start in time."""


class HandlerExited(LaunchServicesError):
    """The application ended without a reply."""


class HandlerRefused(LaunchServicesError):
    """The application replied with an error."""


class HandlerTimedOut(LaunchServicesError):
    """The application did not reply in time."""


class NotPermitted(LaunchServicesError):
    """The caller may not do this."""


class ConfirmationDeclined(LaunchServicesError):
    """The user declined the open."""


class ConfirmationUnavailable(LaunchServicesError):
    """The user must confirm the open, and cannot be asked."""


class Cancelled(LaunchServicesError):
    """The opener cancelled the open."""


class LimitExceeded(LaunchServicesError):
    """A limit of the settings or of the contract."""


class ShuttingDown(LaunchServicesError):
    """The daemon is ending."""


class DeliveryUnknown(LaunchServicesError):
    """The URL may have been delivered, and is not delivered again."""


class DeviceUnavailable(LaunchServicesError):
    """The device that is to get the URL is unknown, not paired or not reachable. Nothing was sent."""


class NoSuchFile(LaunchServicesError):
    """The document does not exist."""


class DocumentUnreachable(LaunchServicesError):
    """The daemon cannot read the document or its folder."""


class NotRegistered(LaunchServicesError):
    """No such application is registered."""


class AlreadyRunning(LaunchServicesError):
    """The application runs already in another process."""


class InvalidBundle(LaunchServicesError):
    """The bundle or file cannot be read, or has an error."""


class NotRunning(LaunchServicesError):
    """No application runs in the process."""


class ServiceUnreachable(LaunchServicesError):
    """The message bus or the daemon cannot be reached."""


class NobodyOnBus(ServiceUnreachable):
    """Nobody on the bus is the daemon, and the bus cannot start it, so that a daemon may work without the bus."""


class Refused(Exception):
    """Raised by a method of a handler: the opener gets ``HandlerRefused`` with up to 2000 characters of this text."""


_KINDS: dict[str, type[LaunchServicesError]] = {kind.__name__: kind for kind in LaunchServicesError.__subclasses__()}
