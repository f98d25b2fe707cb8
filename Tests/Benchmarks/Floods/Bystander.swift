internal import BusContract
internal import Commands
internal import DBus

/// Somebody who has nothing to do with a flood, and asks and opens one thing at a time.
@MainActor
struct Bystander {
  /// What it does, in turn.
  enum Act: String, CaseIterable, Codable {
    /// The bus's own answer: what no daemon can make faster.
    case bus = "GetId of the bus itself"
    case question = "CanOpenURL"
    case directQuestion = "CanOpenURL, direct"
    case newQuestion = "CanOpenURL, a new direct connection"
    case open = "OpenURL, warm"
    case directOpen = "OpenURL, warm, direct"

    /// Whether the daemon answers it.
    var isOfDaemon: Bool { self != .bus }
  }

  /// What one act took, in milliseconds, and what went wrong.
  struct Times {
    var milliseconds: [Double] = []
    var failures: [String] = []
  }

  private let world: BenchWorld
  private let direct: Connection
  private let query = QueryOptions(actAs: BenchWorld.application)
  private let url = "lsbench:x"
  /// In milliseconds: a call that takes longer has failed.
  private let patience: Int32

  init(_ world: BenchWorld, patience: Int32) throws(CommandFailure) {
    self.world = world
    self.patience = patience
    direct = try world.directConnection()
  }

  /// - Parameters:
  ///   - duration: All acts take turns until then, at least once.
  ///   - look: called between them, some times a second.
  func act(for duration: Duration, look: () -> Void = {}) -> [Act: Times] {
    var times: [Act: Times] = [:]
    let end = ContinuousClock.now + duration
    var looked = ContinuousClock.now
    repeat {
      for act in Act.allCases {
        let start = ContinuousClock.now
        let failure = perform(act)
        let now = ContinuousClock.now
        times[act, default: Times()].milliseconds.append((now - start) / .milliseconds(1))
        if let failure { times[act]?.failures.append(failure) }
        if now - looked > .milliseconds(50) {
          look()
          looked = ContinuousClock.now
        }
      }
    } while ContinuousClock.now < end
    return times
  }

  /// - Returns: why it failed, nil when it did not.
  private func perform(_ act: Act) -> String? {
    switch act {
    case .bus:
      return call(
        world.connection,
        .call(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "GetId"))
    case .question: return call(world.connection, Contract.canOpenURL(url, query))
    case .directQuestion: return call(direct, Contract.canOpenURL(url, query))
    case .newQuestion:
      do throws(CommandFailure) {
        return call(try world.directConnection(), Contract.canOpenURL(url, query))
      } catch {
        return error.reason
      }
    case .open: return call(world.connection, Contract.openURL(url))
    case .directOpen: return call(direct, Contract.openURL(url))
    }
  }

  private func call(_ connection: Connection, _ message: borrowing Message) -> String? {
    do throws(BusError) {
      _ = try connection.callAndWait(message, milliseconds: patience)
      return nil
    } catch {
      return error.description
    }
  }
}
