import LaunchRules
import Testing

@Suite("The processes of applications") struct LifecycleTableTests {
  /// Opens the application, and returns the process that is launched for it.
  private func launch(
    _ application: InstalledApplication, _ request: RequestID, in table: inout LifecycleTable,
    newInstance: LifecycleTable.NewInstance? = nil
  ) throws -> InstanceID {
    let effects = try table.open(
      OpenRequest(request), with: application, newInstance: newInstance)
    return try #require(
      effects.compactMap { if case .launch(let id, _) = $0 { id } else { nil } }.first)
  }

  /// The process launches, and answers its request.
  private func finish(
    _ process: InstanceID, _ request: RequestID, in table: inout LifecycleTable,
    _ registry: Registry
  ) {
    for event: HandlerLifecycle.Event in [
      .checkedIn(process), .finishedLaunching(process, LaunchAnswers()),
      .answered(process, request, .handled(true)),
    ] { _ = table.handle(event, of: process, in: registry) }
  }

  @Test("when the first of two processes has ended, the second gets what is opened")
  func extraProcess() throws {
    let photos = Sample.app("photos", on: .macOS)
    let registry = Sample.registry([photos])
    var table = LifecycleTable(instanceLimit: 32)
    let first = try launch(photos, 1, in: &table)
    let second = try launch(photos, 2, in: &table, newInstance: .init(of: .unit("one")))
    finish(first, 1, in: &table, registry)
    finish(second, 2, in: &table, registry)
    _ = table.handle(.exited(first, how: "exited with code 0"), of: first, in: registry)
    let request = OpenRequest(3)
    #expect(try table.open(request, with: photos).contains(.deliver(request, to: second)))
    // Without any, one is launched.
    _ = table.handle(.exited(second, how: "exited with code 0"), of: second, in: registry)
    #expect(try launch(photos, 4, in: &table).slot == first.slot)
  }

  @Test(
    "R1.38 a process that would be suspended ends when its property list says so",
    arguments: [true, false])
  func exitsOnSuspend(_ exits: Bool) throws {
    var photos = Sample.app("photos")
    photos.declaration.exitsOnSuspend = exits
    let mail = Sample.app("mail")
    let registry = Sample.registry([photos, mail])
    var table = LifecycleTable(instanceLimit: 32)
    let process = try launch(photos, 1, in: &table)
    finish(process, 1, in: &table, registry)
    let other = try launch(mail, 2, in: &table)
    finish(other, 2, in: &table, registry)
    let effects = table.suspensionDue(process, in: registry)
    #expect(effects.contains(.stop(process)) == exits)
  }
}
