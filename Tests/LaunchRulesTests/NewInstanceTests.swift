import LaunchRules
import Testing

@Suite("A new instance") struct NewInstanceTests {
  private let photos = Sample.app("photos", on: .macOS)

  private func launched(_ effects: [HandlerLifecycle.Effect]) -> [Int] {
    effects.compactMap { if case .launch(let id, _) = $0 { id.slot.number } else { nil } }
  }

  @Test("R5.33 is started by each open that asks, unless it may use one that was started before")
  func again() throws {
    var lifecycles = LifecycleTable()
    #expect(launched(try lifecycles.open(OpenRequest(1), with: photos)) == [0])
    #expect(launched(try lifecycles.open(OpenRequest(2), with: photos, newInstance: true)) == [1])
    #expect(launched(try lifecycles.open(OpenRequest(3), with: photos, newInstance: true)) == [2])
    let known = [
      InstanceSlot(Sample.id("notes"), number: 1), InstanceSlot(photos.identifier, number: 2),
    ]
    let used = try lifecycles.open(
      OpenRequest(4), with: photos, newInstance: true, orAmong: known)
    #expect(launched(used) == [])
    let others = [
      InstanceSlot(Sample.id("notes"), number: 1), InstanceSlot(photos.identifier, number: 9),
    ]
    let new = try lifecycles.open(
      OpenRequest(5), with: photos, newInstance: true, orAmong: others)
    #expect(launched(new) == [3])
  }

  @Test("is refused when as many instances run as may, with the number and what to do")
  func limit() throws {
    var lifecycles = LifecycleTable(instanceLimit: 2)
    _ = try lifecycles.open(OpenRequest(1), with: photos)
    #expect(launched(try lifecycles.open(OpenRequest(2), with: photos, newInstance: true)) == [1])
    let failure = #expect(throws: OpenFailure.self) {
      try lifecycles.open(OpenRequest(3), with: photos, newInstance: true)
    }
    #expect(failure?.text.contains("2 processes of photos run already") == true)
  }
}
