internal import DBus

/// How a service answers a call.
enum Reply {
  case values([Value])
  /// The call is answered with what the work returns. Later calls of the same caller wait until then.
  case later(() async -> Result<[Value], BusError>)
}
