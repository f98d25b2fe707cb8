import Glibc
import Testing

@testable import Events

@Suite("A watch on a descriptor") @MainActor struct DescriptorWatchTests {
  @Test("calls while there is something to read, and not once more after it is dropped")
  func reading() async throws {
    let (near, far) = try pair()
    var calls = 0
    let (told, tell) = AsyncStream.makeStream(of: Int.self)
    var turns = told.makeAsyncIterator()
    var watch: DescriptorWatch? = DescriptorWatch(closing: near) {
      calls += 1
      tell.yield(calls)
    }
    #expect(calls == 0)
    _ = unsafe write(far, "x", 1)
    // Nobody reads, so there is always something.
    #expect(await turns.next() == 1)
    #expect(await turns.next() == 2)
    watch = nil
    let before = calls
    try await oneRound()
    #expect(calls == before)
    #expect(isHungUp(far))
    close(far)
    withExtendedLifetime(watch) {}
  }

  @Test("waits for what it is told to wait for") func writing() async throws {
    let (near, far) = try pair()
    let (told, tell) = AsyncStream.makeStream(of: Void.self)
    var turns = told.makeAsyncIterator()
    let watch = DescriptorWatch(closing: near, for: []) { tell.yield() }
    _ = unsafe write(far, "x", 1)
    try await oneRound()
    watch.wait(for: .writing)
    await turns.next()
    watch.cancel()
    watch.cancel()
    close(far)
  }

  @Test("calls when the other end has gone") func hangUp() async throws {
    let (near, far) = try pair()
    let (told, tell) = AsyncStream.makeStream(of: Void.self)
    var turns = told.makeAsyncIterator()
    let watch = DescriptorWatch(closing: near) { tell.yield() }
    close(far)
    await turns.next()
    watch.cancel()
  }

  @Test("calls once for what cannot be watched", arguments: [-1, regularFile()])
  func unwatchable(descriptor: Int32) async throws {
    let (told, tell) = AsyncStream.makeStream(of: Void.self)
    var turns = told.makeAsyncIterator()
    let watch = DescriptorWatch(closing: descriptor) { tell.yield() }
    await turns.next()
    try await oneRound()
    watch.cancel()
    tell.finish()
    #expect(await turns.next() == nil)
  }

  /// With Dispatch's sources this crashed the whole test run once in many.
  @Test("may end at any moment while its descriptor hangs up", .timeLimit(.minutes(30)))
  func manyEnds() async throws {
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next()
    print("seed of the ends: \(seed)")
    var random = Seeded(state: seed)
    var live: [(watch: DescriptorWatch, far: Int32)] = []
    for _ in 0..<20_000 {
      switch random.next() % 4 {
      case 0, 1:
        let (near, far) = try pair()
        live.append((DescriptorWatch(closing: near, for: [.reading, .writing]) {}, far))
      case 2:
        guard !live.isEmpty else { continue }
        let (watch, far) = live.remove(at: Int(random.next() % UInt64(live.count)))
        close(far)
        // Also let go on another thread.
        if random.next() % 2 == 0 { Task.detached { watch.cancel() } }
      default:
        await Task.yield()
      }
      if live.count > 10 {
        for (_, far) in live.suffix(5) { close(far) }
        live.removeLast(5)
      }
    }
    for (_, far) in live { close(far) }
  }
}

struct Seeded {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}

private func pair() throws -> (Int32, Int32) {
  var ends: [Int32] = [-1, -1]
  try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
  return (ends[0], ends[1])
}

/// True when nobody holds the other end.
private func isHungUp(_ end: Int32) -> Bool {
  var asked = pollfd(fd: end, events: 0, revents: 0)
  return unsafe poll(&asked, 1, 0) == 1 && asked.revents & Int16(POLLHUP) != 0
}

private func regularFile() -> Int32 { unsafe open("/proc/self/exe", O_RDONLY) }

/// Returns when what had happened before has been told.
@MainActor private func oneRound() async throws {
  let (near, far) = try pair()
  let (told, tell) = AsyncStream.makeStream(of: Void.self)
  var turns = told.makeAsyncIterator()
  let watch = DescriptorWatch(closing: near) { tell.yield() }
  close(far)
  await turns.next()
  watch.cancel()
}
