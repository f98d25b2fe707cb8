import LaunchRules
import SeededRandom
import Testing

private func instance(_ name: String) -> InstanceID {
  InstanceID(Seat(BundleIdentifier("com.example.\(name)")!), ordinal: 1)
}
private let photos = instance("photos")
private let mail = instance("mail")

@Suite("The stage")
struct StageTests {
  /// Launched and in front.
  private func stage(
    with instance: InstanceID, maySuspend: Bool = true, exitsOnSuspend: Bool = false
  ) -> Stage {
    var stage = Stage()
    enter(instance, &stage, maySuspend: maySuspend, exitsOnSuspend: exitsOnSuspend)
    return stage
  }

  @discardableResult
  private func enter(
    _ instance: InstanceID, _ stage: inout Stage, activates: Bool = true, maySuspend: Bool = true,
    exitsOnSuspend: Bool = false
  ) -> [Stage.Effect] {
    stage.launched(instance, maySuspend: maySuspend, exitsOnSuspend: exitsOnSuspend)
    return stage.delivering(to: instance, activates: activates) + stage.delivered(to: instance)
  }

  @Test("R5.2 an application that launches is inactive, and active after its URL") func cold() {
    var stage = Stage()
    stage.launched(photos, maySuspend: true, exitsOnSuspend: false)
    #expect(stage.visibility(of: photos) == .inactive)
    #expect(stage.delivering(to: photos, activates: true) == [])
    #expect(stage.delivered(to: photos) == [.show(photos, .active)])
    #expect(stage.active == photos)
  }

  @Test("R5.3 from active there is only the URL") func active() {
    var stage = stage(with: photos)
    #expect(stage.delivering(to: photos, activates: true) == [])
    #expect(stage.delivered(to: photos) == [])
  }

  @Test("R5.1 R5.3 the one in front goes to the background, and comes back before its next URL")
  func backAndForth() {
    var stage = stage(with: photos)
    #expect(
      enter(mail, &stage) == [
        .show(photos, .inactive), .show(photos, .background), .awaitSuspension(photos),
        .show(mail, .active),
      ])
    #expect(stage.visibility(of: photos) == .background)
    #expect(
      stage.delivering(to: photos, activates: true) == [
        .show(mail, .inactive), .show(mail, .background), .awaitSuspension(mail),
        .show(photos, .inactive),
      ])
    #expect(stage.delivered(to: photos) == [.show(photos, .active)])
  }

  @Test("R5.35 without activation everybody stays where he is") func background() {
    var stage = stage(with: photos)
    #expect(
      enter(mail, &stage, activates: false) == [
        .show(mail, .background), .awaitSuspension(mail),
      ])
    #expect(stage.delivering(to: mail, activates: false) == [])
    #expect(stage.delivered(to: mail) == [.awaitSuspension(mail)])
    #expect(stage.active == photos)
  }

  @Test("R5.1 R5.3 a suspended one is resumed before anything else") func suspended() {
    var stage = stage(with: photos)
    enter(mail, &stage)
    #expect(stage.suspensionDue(photos) == [.suspend(photos)])
    #expect(stage.visibility(of: photos) == .suspended)
    #expect(
      stage.delivering(to: photos, activates: true).filter { $0 != .awaitSuspension(mail) } == [
        .resume(photos), .show(mail, .inactive), .show(mail, .background),
        .show(photos, .inactive),
      ])
  }

  @Test("A URL for a suspended one that is not to come to the front resumes it for a while")
  func suspendedBehind() {
    var stage = stage(with: photos)
    enter(mail, &stage)
    _ = stage.suspensionDue(photos)
    #expect(stage.delivering(to: photos, activates: false) == [.resume(photos)])
    #expect(stage.suspensionDue(photos) == [])  // it works
    #expect(stage.delivered(to: photos) == [.awaitSuspension(photos)])
    #expect(stage.suspensionDue(photos) == [.suspend(photos)])
  }

  @Test("Nobody in front is suspended") func inFront() {
    var stage = stage(with: photos)
    #expect(stage.suspensionDue(photos) == [])
  }

  @Test("R1.38 one that exits on suspend is ended instead") func exits() {
    var stage = stage(with: photos, exitsOnSuspend: true)
    enter(mail, &stage)
    #expect(stage.suspensionDue(photos) == [.retire(photos)])
  }

  @Test("A process that came by itself is never suspended") func byItself() {
    var stage = stage(with: photos, maySuspend: false)
    #expect(
      enter(mail, &stage) == [
        .show(photos, .inactive), .show(photos, .background), .show(mail, .active),
      ])
    _ = stage.delivering(to: photos, activates: false)
    #expect(stage.delivered(to: photos) == [])
  }

  @Test("One that works in the background is suspended when it is done") func busy() {
    var stage = stage(with: photos)
    _ = stage.delivering(to: photos, activates: true)
    #expect(
      enter(mail, &stage) == [
        .show(photos, .inactive), .show(photos, .background), .show(mail, .active),
      ])
    #expect(stage.delivered(to: photos) == [.awaitSuspension(photos)])
  }

  @Test("After the one in front has left, nobody is") func left() {
    var stage = stage(with: photos)
    stage.left(photos)
    #expect(stage.active == nil)
    #expect(stage.visibility(of: photos) == nil)
    #expect(enter(mail, &stage) == [.show(mail, .active)])
  }

  @Test("When the daemon ends, the suspended go on") func end() {
    var stage = stage(with: photos)
    enter(mail, &stage)
    _ = stage.suspensionDue(photos)
    #expect(stage.resumeAll() == [.resume(photos)])
    #expect(stage.resumeAll() == [])
  }

  @Test(
    "Whatever happens, one at most is active, and who is suspended is never told anything",
    arguments: 1...200 as ClosedRange<UInt64>)
  func invariants(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let instances = (1...4).map { instance("app\($0)") }
    var stage = Stage()
    var stopped: Set<InstanceID> = []
    func take(_ effects: [Stage.Effect]) {
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
      case 0 where stage.visibility(of: instance) == nil:
        stage.launched(
          instance, maySuspend: .random(using: &random), exitsOnSuspend: .random(using: &random))
      case 1: take(stage.delivering(to: instance, activates: .random(using: &random)))
      case 2, 3: take(stage.delivered(to: instance))
      case 4: take(stage.suspensionDue(instance))
      case 5 where Int.random(in: 0..<8, using: &random) == 0:
        stage.left(instance)
        stopped.remove(instance)
      default: break
      }
      let active = instances.filter { stage.visibility(of: $0) == .active }
      #expect(active.count <= 1, "seed \(seed)")
      #expect(active.allSatisfy { $0 == stage.active }, "seed \(seed)")
      #expect(
        Set(instances.filter { stage.visibility(of: $0) == .suspended }) == stopped,
        "seed \(seed)")
    }
  }
}
