"""A handler: an application that receives URLs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from ._checkin import Connection
from .deliveries import ConnectionOptions, DeliveryOptions, LaunchOptions, QuickAction, UserActivity

State = Literal["inactive", "active", "background"]


class Handler:
    """Receives URLs, universal links, quick actions and documents.

    Make a subclass with the methods that the application needs, and call :meth:`run`::

        class Notes(Handler):
            def open(self, url, options):
                print("open", url, flush=True)
                return True

        Notes().run()

    The handler checks in with the daemon, obeys only the daemon, checks in again when the daemon was restarted, and
    answers a request that a restarted daemon sends again as the first time, without a second call of the method.

    Each method may be ``async``. One call is answered after the other. When a method raises an exception, the opener
    gets ``HandlerRefused`` with the name of the exception; the traceback is printed to standard error.
    """

    scenes: bool = False
    """Whether :meth:`will_connect` receives what the application was started for. It has an effect only if the
    property list has ``UIApplicationSceneManifest``."""
    documents_as_files: bool = False
    """Whether documents arrive as open files, in ``options.file``."""

    _connection: Connection | None = None
    _is_stopped = False
    _current_activity: UserActivity | None = None

    # Activities

    @property
    def current_activity(self) -> UserActivity | None:
        """The activity that the user can continue on another device, with ``lsopen --continue ID --on NAME``; None for
        none.

        Setting replaces an earlier activity, from any thread and at any time: the activity is offered after the
        check-in, and again to the next daemon. When the daemon rejects the activity, the reason is printed to standard
        error, and an earlier activity stays offered.
        """
        return self._current_activity

    @current_activity.setter
    def current_activity(self, activity: UserActivity | None) -> None:
        if not (activity is None or isinstance(activity, UserActivity)):
            raise TypeError(f"current_activity is a UserActivity or None, not {activity!r}")
        self._current_activity = activity
        connection = self._connection
        if connection is not None:
            connection.offer_activity()

    # Launching

    def will_finish_launching(self, options: LaunchOptions) -> bool | Awaitable[bool | None] | None:
        """Called first.

        :returns: False to refuse what the application was started for; None for no answer.
        """
        return None

    def did_finish_launching(self, options: LaunchOptions) -> bool | Awaitable[bool | None] | None:
        """Called second, with the same options.

        :returns: False to refuse what the application was started for; None for no answer.
        """
        return None

    def will_connect(self, options: ConnectionOptions) -> Awaitable[None] | None:
        """Called when a scene application was started. Unless this is replaced, the URLs, links and the quick action
        go to the methods for them."""
        return self._forward(options)

    # Deliveries

    def open(self, url: str, options: DeliveryOptions) -> bool | Awaitable[bool]:
        """Opens a URL.

        :param url: exactly as the opener sent it.
        :returns: whether the URL was handled; the opener is told.
        """
        return False

    def open_documents(
        self, documents: Sequence[tuple[str, DeliveryOptions]]
    ) -> Sequence[bool] | Awaitable[Sequence[bool]]:
        """Opens documents that were opened together. Unless this is replaced, :meth:`open` is called for each.

        :param documents: the ``file:`` URLs, each with its options.
        :returns: for each document whether it was handled.
        """
        return self._one_by_one(documents)

    def continue_user_activity(self, webpage_url: str, options: DeliveryOptions) -> bool | Awaitable[bool]:
        """Opens a universal link.

        :returns: whether the link was handled; the opener is told.
        """
        return False

    def perform_quick_action(self, action: QuickAction, options: DeliveryOptions) -> bool | Awaitable[bool]:
        """Performs a quick action.

        :returns: whether it was performed; the opener is told.
        """
        return False

    def reopen(self, options: DeliveryOptions) -> Awaitable[None] | None:
        """Called when the application was opened again without a URL."""
        return None

    def state_changed(self, state: State) -> Awaitable[None] | None:
        """Called when the application comes to the front or leaves it."""
        return None

    # Running

    def run(self) -> None:
        """Checks in, and answers calls until the bus closes the connection or :meth:`stop` is called. Without a bus,
        ends when a daemon ended and no other one has started for 30 s.

        Raises a :class:`LaunchServicesError` when the daemon cannot be reached or refuses the check-in.
        """
        with asyncio.Runner() as runner:

            def call(method: Callable[..., Any], *arguments: Any) -> Any:
                result = method(*arguments)
                return runner.run(_finish(result)) if isinstance(result, Awaitable) else result

            self._serve(call)

    async def serve(self) -> None:
        """As :meth:`run`, in an event loop. All methods are called in the loop. Ends when it is cancelled."""
        loop = asyncio.get_running_loop()

        def call(method: Callable[..., Any], *arguments: Any) -> Any:
            async def calling() -> Any:
                result = method(*arguments)
                return await result if isinstance(result, Awaitable) else result

            return asyncio.run_coroutine_threadsafe(calling(), loop).result()

        ended: asyncio.Future[None] = loop.create_future()

        def end(error: Exception | None) -> None:
            if ended.done():
                return
            if error is None:
                ended.set_result(None)
            else:
                ended.set_exception(error)

        def serving() -> None:
            failure: Exception | None = None
            try:
                self._serve(call)
            except Exception as error:
                failure = error
            # Without its loop nobody waits for the end.
            if not loop.is_closed():
                loop.call_soon_threadsafe(end, failure)

        threading.Thread(target=serving, name="launchservices-handler", daemon=True).start()
        try:
            await ended
        finally:
            self.stop()

    def stop(self) -> None:
        """Ends :meth:`run`, also from another thread or from a method of this handler."""
        self._is_stopped = True
        connection = self._connection
        if connection is not None:
            connection.stop()

    def _serve(self, call: Callable[..., Any]) -> None:
        connection = Connection(self, call)
        self._connection = connection
        try:
            if not self._is_stopped:
                connection.serve()
        finally:
            self._connection = None
        # Not after an exception: the daemon would end the process before the traceback is printed.
        connection.close()

    # Defaults

    async def _forward(self, options: ConnectionOptions) -> None:
        for url, of_url in options.urls:
            await _finish(self.open(url, of_url))
        for link, of_link in options.links:
            await _finish(self.continue_user_activity(link, of_link))
        if options.quick_action is not None:
            await _finish(self.perform_quick_action(options.quick_action, options.quick_action_options))

    async def _one_by_one(self, documents: Sequence[tuple[str, DeliveryOptions]]) -> list[bool]:
        return [await _finish(self.open(url, options)) for url, options in documents]


async def _finish(result: Any) -> Any:
    return await result if isinstance(result, Awaitable) else result
