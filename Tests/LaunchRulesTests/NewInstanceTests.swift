import LaunchRules
import Testing

@Suite("A new instance") struct NewInstanceTests {
  private let photos = Sample.app("photos", on: .macOS)
  private let caller = LoadOwner.unit("one")

  private func launched(_ effects: [HandlerLifecycle.Effect]) -> [Int] {
    effects.compactMap { if case .launch(let id, _) = $0 { id.slot.number } else { nil } }
  }

  @Test("R5.33 is started by each open that asks, unless it may use one that was started before")
  func again() throws {
    var lifecycles = LifecycleTable(instanceLimit: 32)
    #expect(launched(try lifecycles.open(OpenRequest(1), with: photos)) == [0])
    #expect(
      launched(try lifecycles.open(OpenRequest(2), with: photos, newInstance: .init(of: caller)))
        == [1])
    #expect(
      launched(try lifecycles.open(OpenRequest(3), with: photos, newInstance: .init(of: caller)))
        == [2])
    let known = [
      InstanceSlot(Sample.id("notes"), number: 1), InstanceSlot(photos.identifier, number: 2),
    ]
    let used = try lifecycles.open(
      OpenRequest(4), with: photos, newInstance: .init(of: caller, orAmong: known))
    #expect(launched(used) == [])
    let others = [
      InstanceSlot(Sample.id("notes"), number: 1), InstanceSlot(photos.identifier, number: 9),
    ]
    let new = try lifecycles.open(
      OpenRequest(5), with: photos, newInstance: .init(of: caller, orAmong: others))
    #expect(launched(new) == [3])
  }

  @Test("is refused when as many instances run as may, with the number and what to do")
  func limit() throws {
    var lifecycles = LifecycleTable(instanceLimit: 2)
    _ = try lifecycles.open(OpenRequest(1), with: photos)
    #expect(
      launched(try lifecycles.open(OpenRequest(2), with: photos, newInstance: .init(of: caller)))
        == [1])
    let failure = #expect(throws: OpenFailure.self) {
      try lifecycles.open(OpenRequest(3), with: photos, newInstance: .init(of: caller))
    }
    #expect(failure?.text.contains("2 processes of photos run already") == true)
  }

  @Test("is refused to a process that starts a process for each, and to no program beside it")
  func limitOfGroup() throws {
    var lifecycles = LifecycleTable(instanceLimit: 2)
    let shell = LoadOwner.process(1, startTime: 1)
    let attacker = LoadOwner.process(2, startTime: 1)
    func start(_ number: Int32, in groups: [LoadOwner]) throws(OpenFailure) {
      let application = Sample.app("app\(number)", on: .macOS)
      _ = try lifecycles.open(
        OpenRequest(RequestID(UInt64(number))), with: application,
        newInstance: .init(of: .process(number, startTime: 1), in: groups))
    }
    var refusal: String?
    for number in 100...200 as ClosedRange<Int32> where refusal == nil {
      do throws(OpenFailure) {
        try start(number, in: [shell, attacker])
      } catch {
        refusal = error.text
      }
    }
    #expect(
      refusal?.hasPrefix(
        "64 extra instances started by this caller and by others of one application, unit or parent process are running"
      ) == true, "\(refusal ?? "none")")
    #expect(throws: Never.self) { try start(300, in: [shell]) }
  }

  @Test("is refused to a caller that started as many as may run, of all applications together")
  func limitOfCaller() throws {
    var lifecycles = LifecycleTable(instanceLimit: 2)
    let (notes, mail) = (Sample.app("notes", on: .macOS), Sample.app("mail", on: .macOS))
    let registry = Sample.registry([photos, notes, mail])
    // The first process of an application counts, too, but not one that was started without the option.
    _ = try lifecycles.open(OpenRequest(1), with: mail)
    _ = try lifecycles.open(OpenRequest(2), with: photos, newInstance: .init(of: caller))
    let effects = try lifecycles.open(
      OpenRequest(3), with: notes, newInstance: .init(of: caller))
    #expect(launched(effects) == [0])
    let refusal = #expect(throws: OpenFailure.self) {
      try lifecycles.check(.init(of: caller), of: mail)
    }
    #expect(
      refusal?.text.contains("2 extra instances started by this caller are running") == true)
    // An open that goes to a process that runs starts none.
    #expect(
      try !lifecycles.check(
        .init(of: caller, orAmong: [InstanceSlot(mail.identifier)]), of: mail))
    #expect(try lifecycles.check(.init(of: .unit("two")), of: mail))
    #expect(try !lifecycles.check(nil, of: mail))
    // With the end of one there is room again.
    let first = try #require(
      effects.compactMap { if case .launch(let id, _) = $0 { id } else { nil } }.first)
    let end = HandlerLifecycle.Event.exited(first, how: "exited with code 0")
    _ = lifecycles.handle(end, of: first, in: registry)
    let last = try lifecycles.open(OpenRequest(4), with: mail, newInstance: .init(of: caller))
    #expect(launched(last) == [1])
  }
}
