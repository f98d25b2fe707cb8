package import DBus

/// The answer to RequestFate: what has become of an open, for an opener that lost the connection.
package enum RequestFate {
  /// The state of the open.
  package enum State: String, Sendable {
    /// The result is known, and is in the answer.
    case settled
    /// The open is accepted, and its delivery has not begun.
    case accepted
    /// The delivery has begun, and its result is not known yet.
    case delivering
    /// The open was never seen, or was not delivered by a service that has ended. From now on it is refused.
    case refused
    /// The open may have been delivered; no service knows more.
    case unknown
  }

  static let cancelKey = "cancel"
  package static let receiptKey = "receipt"
  package static let errorKey = "error"
  package static let messageKey = "message"

  package static let description = DictionaryDescription([
    .init(
      Key.state, "s",
      """
      `settled`: the result is known, and follows. `accepted`: the service has the open, and its delivery has not \
      begun. `delivering`: the delivery has begun. `refused`: the open was not delivered, and from now on OpenURL \
      with this `request-id` fails with Cancelled. `unknown`: the open may have been delivered.
      """),
    .init(
      receiptKey, "a{sv}",
      "Of a settled open that succeeded: the receipt, as OpenURL returns it.",
      Receipt.description),
    .init(errorKey, "s", "Of a settled open that failed: the last part of the name of the error."),
    .init(messageKey, "s", "Of a settled open that failed: the text of the error."),
  ])
}

extension Contract {
  static let requestFateMethod = InterfaceDescription.Method(
    "RequestFate",
    [
      .init("request_id", "s", "The `request-id` of the open."),
      .init(
        "options", "a{sv}", "The options.",
        DictionaryDescription([
          .init(
            RequestFate.cancelKey, "b",
            "True also cancels the open, if its delivery has not begun.")
        ])),
    ],
    returns: [.init("fate", "a{sv}", "What has become of the open.", RequestFate.description)],
    """
    Says what has become of the open of a URL that the caller has sent with this `request-id`, without delivering \
    anything. An open that the service has never seen is refused from now on, also after a restart, so that an opener \
    that gives up can truthfully say that nothing was opened: its call may still be on the way. The names of requests \
    are those of OpenURL; a remote has names of its own.
    """)

  /// - Parameter isCancelled: whether to cancel the open if its delivery has not begun.
  package static func requestFate(_ id: String, isCancelled: Bool = false) -> Message {
    ask(
      workspace, "RequestFate",
      [.string(id), .options(isCancelled ? [RequestFate.cancelKey: .boolean(true)] : [:])])
  }
}
