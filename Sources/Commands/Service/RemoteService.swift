internal import BusContract
internal import DBus

extension Service {
  /// The daemon of another machine, or outside of this container, which is reached by a socket that was forwarded or
  /// mounted here. Connects with the first call. A call after a lost connection connects again, and only to the same
  /// daemon; see `RemotePlaces`.
  /// - Parameter path: of the socket.
  package static func onRemote(_ path: String) -> Service {
    var connection: Connection?
    var places = RemotePlaces(path)
    func connected(within milliseconds: Int32?) throws(ServiceFailure) -> Connection {
      if let connection { return connection }
      let limit = min(Duration.milliseconds(milliseconds ?? .max), RemoteConnection.mostWait)
      let end = Instant.now + limit
      var failure = ServiceFailure.remoteUnreachable(path, "there was no time")
      for (number, place) in places.candidates.enumerated() where number == 0 || end > Instant.now {
        do throws(BusError) {
          let rest = number == 0 ? limit : end - Instant.now
          let made = try Connection(remoteSocket: place, within: rest)
          connection = made
          places.use(place)
          return made
        } catch {
          if number == 0 {
            failure =
              error.name == .authFailed
              ? .noRemoteSocket(path) : .remoteUnreachable(path, error.text)
          }
        }
      }
      throw failure
    }
    func answer(
      _ call: Connection.BegunCall, _ milliseconds: Int32?, on current: Connection
    ) throws(ServiceFailure) -> [Value] {
      do throws(BusError) {
        return try current.wait(
          for: call, milliseconds: milliseconds, probing: RemoteConnection.heartbeat,
          answering: { _, _ in })
      } catch {
        guard error.isDisconnection else { throw ServiceFailure(error, timeIsUp: true) }
        if connection === current { connection = nil }
        throw .ended
      }
    }
    var service = Service {
      nil
    } listen: { _ throws(ServiceFailure) in
      throw .refused(RemoteConnection.onlyOpens)
    } call: { message, milliseconds throws(ServiceFailure) in
      if message.hasDescriptors { throw .refused(RemoteConnection.onlyOpens) }
      guard message.size <= RemoteSocket.mostMessageBytes else {
        throw .refused(RemoteConnection.tooLarge(message.size))
      }
      let start = Instant.now
      let current = try connected(within: milliseconds)
      let rest = milliseconds.map {
        max(1, $0 - Int32(clamping: Int((Instant.now - start) / .milliseconds(1))))
      }
      return try answer(current.begin(message), rest, on: current)
    }
    service.begin = { message in
      guard !message.hasDescriptors, message.size <= RemoteSocket.mostMessageBytes,
        let current = try? connected(within: nil)
      else { return nil }
      let call = current.begin(message)
      return BegunCall { milliseconds throws(ServiceFailure) in
        try answer(call, milliseconds, on: current)
      }
    }
    service.remotePath = { path }
    return service
  }

  /// The daemon that the environment determines, in this order: at the path of `LAUNCH_SERVICES_REMOTE`; without a display,
  /// at a forwarded socket that accepts connections; on the session bus; and without a daemon there, at a forwarded
  /// socket.
  /// - Parameters:
  ///   - environment: the value of a variable; nil when it is missing or empty.
  ///   - local: the daemon on the session bus.
  package static func chosen(
    by environment: (String) -> String?, orElse local: Service
  ) -> Service {
    if let path = environment(RemoteSocket.variable) { return onRemote(path) }
    let forwarded = RemoteSocket.forwarded(environment)
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment($0) != nil }
    if !hasDisplay, let path = forwarded.first(where: takesConnections) { return onRemote(path) }
    var remote: Service?
    // A daemon of this machine that has received a call is asked again, even after its end: an open that is repeated
    // elsewhere could happen twice.
    var staysHere = false
    var service = Service {
      remote == nil ? local.lateAnswer() : nil
    } listen: { received throws(ServiceFailure) in
      try local.listen(received)
    } call: { message, milliseconds throws(ServiceFailure) in
      if let remote { return try remote.call(message, milliseconds) }
      do throws(ServiceFailure) {
        let answer = try local.call(message, milliseconds)
        staysHere = true
        return answer
      } catch {
        if !error.isAbsence { staysHere = true }
        guard !staysHere, let path = forwarded.first(where: takesConnections) else {
          throw error
        }
        let other = onRemote(path)
        remote = other
        return try other.call(message, milliseconds)
      }
    }
    service.begin = { message in
      if let remote { return remote.begin(message) }
      guard let call = local.begin(message) else { return nil }
      return BegunCall { milliseconds throws(ServiceFailure) in
        do throws(ServiceFailure) {
          let answer = try call.answer(milliseconds)
          staysHere = true
          return answer
        } catch {
          if !error.isAbsence { staysHere = true }
          throw error
        }
      }
    }
    service.stoppedDaemon = { remote == nil ? local.stoppedDaemon() : nil }
    service.remotePath = { remote?.remotePath() }
    return service
  }
}

private enum RemoteConnection {
  /// The longest time for a connection and its handshake.
  static let mostWait = Duration.seconds(10)

  /// A connection through a network may break without a sign.
  static var heartbeat: Probe {
    Probe(
      after: .seconds(15), patience: .seconds(15), Contract.ping, silence: .endsCall, onSilence: {})
  }

  static let onlyOpens = BusError(
    "org.launchservices.Error.NotPermitted",
    "from another machine or a container only URLs can be opened; standard streams and signals cannot be"
      + " passed on")

  static func tooLarge(_ size: Int) -> BusError {
    BusError(
      "org.launchservices.Error.LimitExceeded",
      "the request has \(size) bytes, and from another machine or a container at most"
        + " \(RemoteSocket.mostMessageBytes) are accepted")
  }
}
