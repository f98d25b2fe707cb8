"""Launch Services on Linux: opens URLs, asks questions, and receives URLs.

``Client`` and ``AsyncClient`` call the daemon; ``Handler`` is an application that receives URLs.
"""

from ._calls import OpenOptions
from .aio import AsyncClient
from .client import Client
from .deliveries import ConnectionOptions, DeliveryOptions, LaunchOptions, QuickAction, UserActivity
from .errors import (
    AlreadyRunning,
    AmbiguousHandler,
    ApplicationNotFound,
    Cancelled,
    ConfirmationDeclined,
    ConfirmationUnavailable,
    DeliveryUnknown,
    DeviceUnavailable,
    DocumentUnreachable,
    HandlerExited,
    HandlerRefused,
    HandlerTimedOut,
    InvalidBundle,
    InvalidURL,
    LaunchFailed,
    LaunchServicesError,
    LaunchTimedOut,
    LimitExceeded,
    NoExecutable,
    NoSuchFile,
    NotPermitted,
    NotRegistered,
    NotRunning,
    Refused,
    ServiceUnreachable,
    ShuttingDown,
)
from .handler import Handler
from .results import Diagnostic, Explanation, Receipt, Step

__all__ = [
    "AlreadyRunning",
    "AmbiguousHandler",
    "ApplicationNotFound",
    "AsyncClient",
    "Cancelled",
    "Client",
    "ConfirmationDeclined",
    "ConfirmationUnavailable",
    "ConnectionOptions",
    "DeliveryOptions",
    "DeliveryUnknown",
    "DeviceUnavailable",
    "Diagnostic",
    "DocumentUnreachable",
    "Explanation",
    "Handler",
    "HandlerExited",
    "HandlerRefused",
    "HandlerTimedOut",
    "InvalidBundle",
    "InvalidURL",
    "LaunchFailed",
    "LaunchOptions",
    "LaunchServicesError",
    "LaunchTimedOut",
    "LimitExceeded",
    "NoExecutable",
    "NoSuchFile",
    "NotPermitted",
    "NotRegistered",
    "NotRunning",
    "OpenOptions",
    "QuickAction",
    "Receipt",
    "Refused",
    "ServiceUnreachable",
    "ShuttingDown",
    "Step",
    "UserActivity",
]
