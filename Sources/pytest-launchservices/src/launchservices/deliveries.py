"""What the daemon hands to a handler."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO


@dataclass(frozen=True, slots=True)
class DeliveryOptions:
    """The options of one delivery."""

    source_application: str | None = None
    """The bundle identifier of the opener, if the opener is an application of the same team."""
    annotation: object = None
    """The annotation of the opener."""
    activation_token: str | None = None
    """The activation token of the desktop."""
    open_in_place: bool = False
    """For a document: whether the application may change the file in its place."""
    file: BinaryIO | None = None
    """For a document: the file, open for reading, in a sandbox and for ``Handler.documents_as_files``. It is closed
    after the method has returned."""
    request: int | None = None
    """The number of the request, if the opener has named the request."""
    repeated: bool = False
    """Whether the daemon may have delivered the request before it was restarted."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> DeliveryOptions:
        """The options in a call."""
        descriptor = values.get("descriptor")
        return cls(
            source_application=values.get("source-application"),
            annotation=values.get("annotation"),
            activation_token=values.get("activation-token"),
            open_in_place=values.get("open-in-place", False),
            file=None if descriptor is None else os.fdopen(descriptor.to_raw_fd(), "rb"),
            request=values.get("request"),
            repeated=values.get("repeated", False),
        )


@dataclass(frozen=True, slots=True)
class UserActivity:
    """What the user does in an application, for :attr:`Handler.current_activity`."""

    type: str
    """The type, at most 255 bytes. The property list declares the type in ``NSUserActivityTypes``."""
    title: str | None = None
    """The title for the user, at most 1024 bytes."""
    webpage_url: str | None = None
    """The ``http`` or ``https`` URL of a page with the same content, at most 8192 bytes. Only an activity with a page
    can be continued on another device."""


@dataclass(frozen=True, slots=True)
class QuickAction:
    """A quick action that the user chose."""

    type: str
    """Its ``UIApplicationShortcutItemType``."""
    title: str = ""
    """The title."""
    subtitle: str | None = None
    """The subtitle."""
    icon: str | None = None
    """The name of the icon."""
    user_info: Mapping[str, object] = field(default_factory=dict)
    """Values of the application."""

    @classmethod
    def of(cls, kind: str, values: Mapping[str, Any]) -> QuickAction:
        """The quick action in a call."""
        return cls(
            type=kind,
            title=values.get("title", ""),
            subtitle=values.get("subtitle"),
            icon=values.get("icon"),
            user_info=values.get("user-info", {}),
        )


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What an application was started for. All values are empty when nothing was opened."""

    url: str | None = None
    """The URL, or the URL of the first document. It arrives once more, as a call of ``open``."""
    documents: tuple[str, ...] = ()
    """The URLs of all documents."""
    webpage_url: str | None = None
    """The universal link."""
    quick_action: QuickAction | None = None
    """The quick action."""
    source_application: str | None = None
    """The bundle identifier of the opener, if the opener is an application of the same team."""
    hidden: bool = False
    """Whether the application is to start hidden."""
    fresh: bool = False
    """Whether the application is not to restore its last state."""
    launch_image: str | None = None
    """The absolute path of the launch image."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> LaunchOptions:
        """The launch options in the answer to the check-in."""
        return cls(
            url=values.get("url"),
            documents=tuple(values.get("documents", ())),
            webpage_url=values.get("webpage-url"),
            quick_action=_quick_action(values),
            source_application=values.get("source-application"),
            hidden=values.get("hidden", False),
            fresh=values.get("fresh", False),
            launch_image=values.get("launch-image"),
        )


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """What a scene is connected for: the delivery itself, nothing of it arrives again."""

    urls: tuple[tuple[str, DeliveryOptions], ...] = ()
    """The URLs, each with its options."""
    links: tuple[tuple[str, DeliveryOptions], ...] = ()
    """The universal links, each with its options."""
    quick_action: QuickAction | None = None
    """The quick action."""
    source_application: str | None = None
    """The bundle identifier of the opener, if the opener is an application of the same team."""
    hidden: bool = False
    """Whether the application is to start hidden."""
    fresh: bool = False
    """Whether the application is not to restore its last state."""
    quick_action_options: DeliveryOptions = field(default_factory=DeliveryOptions)
    """The options of the quick action."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ConnectionOptions:
        """The connection options in the answer to the check-in."""
        return cls(
            urls=tuple((url, DeliveryOptions.of(o)) for url, o in values.get("url-contexts", ())),
            links=tuple(
                (activity.get("webpage-url", ""), DeliveryOptions.of(activity))
                for _, activity in values.get("user-activities", ())
            ),
            quick_action=_quick_action(values),
            source_application=values.get("source-application"),
            hidden=values.get("hidden", False),
            fresh=values.get("fresh", False),
            quick_action_options=DeliveryOptions.of(values),
        )


def _quick_action(values: Mapping[str, Any]) -> QuickAction | None:
    kind = values.get("shortcut-item")
    return None if kind is None else QuickAction.of(kind, values.get("shortcut-item-details", {}))
