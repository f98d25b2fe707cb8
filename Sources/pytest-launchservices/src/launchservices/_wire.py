"""Values and messages of D-Bus: what jeepney hands over, as plain Python values, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from jeepney.low_level import (
    Array,
    DictEntry,
    HeaderFields,
    Message,
    MessageType,
    Struct,
    Variant,
    parse_signature,
)
from jeepney.wrappers import DBusAddress, new_method_call

from .errors import LaunchServicesError

SERVICE = "org.launchservices.LaunchServices1"
SERVICE_PATH = "/org/launchservices/LaunchServices1"
APPLICATION = "org.launchservices.Application1"
APPLICATION_PATH = "/org/launchservices/Application"
BUS = "org.freedesktop.DBus"
BUS_PATH = "/org/freedesktop/DBus"

Options = dict[str, tuple[str, Any]]
"""A dictionary a{sv}: each value with its signature."""


def call_message(interface: str, member: str, signature: str, body: tuple[Any, ...]) -> Message:
    """A call of the daemon; ``interface`` without the prefix ``org.launchservices.``"""
    address = DBusAddress(SERVICE_PATH, SERVICE, f"org.launchservices.{interface}")
    return new_method_call(address, member, signature or None, body)


def bus_message(member: str, signature: str, body: tuple[Any, ...]) -> Message:
    """A call of the message bus."""
    return new_method_call(DBusAddress(BUS_PATH, BUS, BUS), member, signature, body)


def header(message: Message, field: HeaderFields) -> str:
    """A field of a message; empty when the message has none."""
    return str(message.header.fields.get(field, ""))


def body_of(reply: Message) -> tuple[Any, ...]:
    """The arguments of a reply as plain values; raises the error of an error reply."""
    values = plain_body(reply)
    if reply.header.message_type == MessageType.error:
        text = str(values[0]) if values else "no text"
        raise LaunchServicesError.of(header(reply, HeaderFields.error_name), text)
    return values


def plain_body(message: Message) -> tuple[Any, ...]:
    """The arguments of a message as plain values."""
    tokens = list(header(message, HeaderFields.signature))
    kinds = []
    while tokens:
        kinds.append(parse_signature(tokens))
    return tuple(_plain(kind, value) for kind, value in zip(kinds, message.body, strict=True))


def _plain(kind: Any, value: Any) -> Any:
    if isinstance(kind, Variant):
        signature, inner = value
        return _plain(parse_signature(list(signature)), inner)
    if isinstance(kind, Array):
        if isinstance(kind.elt_type, DictEntry):
            _, element = kind.elt_type.fields
            return {key: _plain(element, item) for key, item in value.items()}
        if isinstance(value, bytes):
            return value
        return [_plain(kind.elt_type, item) for item in value]
    if isinstance(kind, Struct):
        return tuple(_plain(f, item) for f, item in zip(kind.fields, value, strict=True))
    return value


def variant(value: object) -> tuple[str, Any]:
    """A plain value with a signature: the types of a property list, as the Swift library sends them."""
    match value:
        case bool():
            return "b", value
        case int():
            return "x", value
        case float():
            return "d", value
        case str():
            return "s", value
        case bytes():
            return "ay", value
        case os.PathLike():
            return "s", os.fspath(value)
        case Mapping():
            return "a{sv}", {str(key): variant(item) for key, item in value.items()}
        case Sequence():
            return "av", [variant(item) for item in value]
        case _:
            raise TypeError(f"a {type(value).__name__} cannot be sent; use the types of a property list")


def options(values: Mapping[str, tuple[str, Any] | None]) -> Options:
    """Options of a call, without those that are None."""
    return {key: value for key, value in values.items() if value is not None}
