import LaunchRules
import SeededRandom
import Testing

private func instance(_ name: String) -> InstanceID {
  InstanceID(InstanceSlot(BundleIdentifier("com.example.\(name)")!), ordinal: 1)
}
private let photos = instance("photos")
private let mail = instance("mail")

@Suite("The foreground")
struct ForegroundTests {
  /// Launched and in front.
  private func foreground(
    with instance: InstanceID, maySuspend: Bool = true, exitsOnSuspend: Bool = false
  ) -> Foreground {
    var foreground = Foreground()
    enter(instance, &foreground, maySuspend: maySuspend, exitsOnSuspend: exitsOnSuspend)
    return foreground
  }

  @discardableResult
  private func enter(
    _ instance: InstanceID, _ foreground: inout Foreground, activates: Bool = true,
    maySuspend: Bool = true,
    exitsOnSuspend: Bool = false
  ) -> [Foreground.Effect] {
    foreground.launched(instance, maySuspend: maySuspend, exitsOnSuspend: exitsOnSuspend)
    return foreground.delivering(to: instance, activates: activates)
      + foreground.delivered(to: instance)
  }

  @Test("R5.2 an application that launches is inactive, and active after its URL") func cold() {
    var foreground = Foreground()
    foreground.launched(photos, maySuspend: true, exitsOnSuspend: false)
    #expect(foreground.visibility(of: photos) == .inactive)
    #expect(foreground.delivering(to: photos, activates: true) == [])
    #expect(foreground.delivered(to: photos) == [.show(photos, .active)])
    #expect(foreground.active == photos)
  }

  @Test("R5.3 from active there is only the URL") func active() {
    var foreground = foreground(with: photos)
    #expect(foreground.delivering(to: photos, activates: true) == [])
    #expect(foreground.delivered(to: photos) == [])
  }

  @Test("R5.1 R5.3 the one in front goes to the background, and comes back before its next URL")
  func backAndForth() {
    var foreground = foreground(with: photos)
    #expect(
      enter(mail, &foreground) == [
        .show(photos, .inactive), .show(photos, .background), .awaitSuspension(photos),
        .show(mail, .active),
      ])
    #expect(foreground.visibility(of: photos) == .background)
    #expect(
      foreground.delivering(to: photos, activates: true) == [
        .show(mail, .inactive), .show(mail, .background), .awaitSuspension(mail),
        .show(photos, .inactive),
      ])
    #expect(foreground.delivered(to: photos) == [.show(photos, .active)])
  }

  @Test("R5.35 without activation everybody stays where he is") func background() {
    var foreground = foreground(with: photos)
    #expect(
      enter(mail, &foreground, activates: false) == [
        .show(mail, .background), .awaitSuspension(mail),
      ])
    #expect(foreground.delivering(to: mail, activates: false) == [])
    #expect(foreground.delivered(to: mail) == [.awaitSuspension(mail)])
    #expect(foreground.active == photos)
  }

  @Test("R5.1 R5.3 a suspended one is resumed before anything else") func suspended() {
    var foreground = foreground(with: photos)
    enter(mail, &foreground)
    #expect(foreground.suspensionDue(photos) == [.suspend(photos)])
    #expect(foreground.visibility(of: photos) == .suspended)
    #expect(
      foreground.delivering(to: photos, activates: true).filter { $0 != .awaitSuspension(mail) }
        == [
          .resume(photos), .show(mail, .inactive), .show(mail, .background),
          .show(photos, .inactive),
        ])
  }

  @Test("A URL for a suspended one that is not to come to the front resumes it for a while")
  func suspendedBehind() {
    var foreground = foreground(with: photos)
    enter(mail, &foreground)
    _ = foreground.suspensionDue(photos)
    #expect(foreground.delivering(to: photos, activates: false) == [.resume(photos)])
    #expect(foreground.suspensionDue(photos) == [])  // it works
    #expect(foreground.delivered(to: photos) == [.awaitSuspension(photos)])
    #expect(foreground.suspensionDue(photos) == [.suspend(photos)])
  }

  @Test("Nobody in front is suspended") func inFront() {
    var foreground = foreground(with: photos)
    #expect(foreground.suspensionDue(photos) == [])
  }

  @Test("R1.38 one that exits on suspend is ended instead") func exits() {
    var foreground = foreground(with: photos, exitsOnSuspend: true)
    enter(mail, &foreground)
    #expect(foreground.suspensionDue(photos) == [.retire(photos)])
  }

  @Test("A process that came by itself is never suspended") func byItself() {
    var foreground = foreground(with: photos, maySuspend: false)
    #expect(
      enter(mail, &foreground) == [
        .show(photos, .inactive), .show(photos, .background), .show(mail, .active),
      ])
    _ = foreground.delivering(to: photos, activates: false)
    #expect(foreground.delivered(to: photos) == [])
  }

  @Test("One that works in the background is suspended when it is done") func busy() {
    var foreground = foreground(with: photos)
    _ = foreground.delivering(to: photos, activates: true)
    #expect(
      enter(mail, &foreground) == [
        .show(photos, .inactive), .show(photos, .background), .show(mail, .active),
      ])
    #expect(foreground.delivered(to: photos) == [.awaitSuspension(photos)])
  }

  @Test("After the one in front has left, nobody is") func left() {
    var foreground = foreground(with: photos)
    foreground.left(photos)
    #expect(foreground.active == nil)
    #expect(foreground.visibility(of: photos) == nil)
    #expect(enter(mail, &foreground) == [.show(mail, .active)])
  }

  @Test("When the daemon ends, the suspended go on") func end() {
    var foreground = foreground(with: photos)
    enter(mail, &foreground)
    _ = foreground.suspensionDue(photos)
    #expect(foreground.resumeAll() == [.resume(photos)])
    #expect(foreground.resumeAll() == [])
  }

  @Test(
    "Whatever happens, one at most is active, and who is suspended is never told anything",
    arguments: 1...200 as ClosedRange<UInt64>)
  func invariants(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let instances = (1...4).map { instance("app\($0)") }
    var foreground = Foreground()
    var stopped: Set<InstanceID> = []
    func take(_ effects: [Foreground.Effect]) {
      for effect in effects {
        switch effect {
        case .suspend(let instance): stopped.insert(instance)
        case .resume(let instance): stopped.remove(instance)
        case .show(let instance, _), .retire(let instance):
          #expect(!stopped.contains(instance), "seed \(seed)")
        case .awaitSuspension: break
        }
      }
    }
    for _ in 0..<300 {
      let instance = instances.randomElement(using: &random)!
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where foreground.visibility(of: instance) == nil:
        foreground.launched(
          instance, maySuspend: .random(using: &random), exitsOnSuspend: .random(using: &random))
      case 1: take(foreground.delivering(to: instance, activates: .random(using: &random)))
      case 2, 3: take(foreground.delivered(to: instance))
      case 4: take(foreground.suspensionDue(instance))
      case 5 where Int.random(in: 0..<8, using: &random) == 0:
        foreground.left(instance)
        stopped.remove(instance)
      default: break
      }
      let active = instances.filter { foreground.visibility(of: $0) == .active }
      #expect(active.count <= 1, "seed \(seed)")
      #expect(active.allSatisfy { $0 == foreground.active }, "seed \(seed)")
      #expect(
        Set(instances.filter { foreground.visibility(of: $0) == .suspended }) == stopped,
        "seed \(seed)")
    }
  }
}
