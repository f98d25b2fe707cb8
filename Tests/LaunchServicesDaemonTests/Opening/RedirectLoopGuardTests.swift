import BusContract
import LaunchRules
import Records
import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("URLs that desktop applications open again", .timeLimit(.minutes(30)))
struct RedirectLoopGuardTests {
  private static let url = "https://example.com/1"
  private let loops = RedirectLoopGuard()
  private let https: URLScheme

  init() throws { https = try #require(URLScheme("https")) }

  /// Whether the desktop bridge may not receive the URL.
  private func isRefused(
    _ url: String = Self.url, isCounted: Bool = true,
    _ change: (inout RedirectLoopRule.Evidence) -> Void = { _ in }
  ) -> Bool {
    var evidence = RedirectLoopRule.Evidence(wasBridged: false, hops: nil, canLoop: true)
    change(&evidence)
    return loops.failure(url, https, evidence, isCounted: isCounted) != nil
  }

  @Test("After five deliveries in a row the bridge does not receive the URL; the user is told once")
  func rounds() async throws {
    let world = try await DaemonWorld()
    var told: [String] = []
    loops.onLoop = { url, _ in told.append(url) }
    for _ in 1...5 {
      #expect(!isRefused())
      loops.handedOver(try world.bridged(Self.url))
    }
    // An explanation counts nothing.
    #expect(isRefused(isCounted: false))
    #expect(told.isEmpty)
    #expect(isRefused())
    #expect(isRefused())
    #expect(told == [Self.url])
    #expect(!isRefused("https://example.com/2"))
    #expect(!isRefused { $0.canLoop = false })
  }

  @Test("Deliveries to other applications, and of opens that cannot form a loop, are not counted")
  func others() async throws {
    let world = try await DaemonWorld()
    let photos = try #require(world.registry.store.registry.application(DaemonWorld.photos))
    for _ in 1...5 {
      loops.handedOver(try world.bridged(Self.url, by: photos))
      loops.handedOver(try world.bridged(Self.url, canLoop: false))
    }
    #expect(!isRefused())
    for _ in 1...5 { loops.handedOver(try world.bridged(Self.url)) }
    #expect(isRefused())
  }

  @Test("A process that the bridge started for the URL may not open it again") func bridged() {
    #expect(isRefused { $0.wasBridged = true })
    let failure = loops.failure(
      Self.url, https, .init(wasBridged: true, hops: nil, canLoop: false), isCounted: true)
    #expect(
      failure
        == .applicationNotFound(
          "the desktop application for the scheme https opens the URL with Launch Services again;"
            + " choose another application with: gio mime x-scheme-handler/https ID"))
  }

  @Test(
    "URLs of one scheme pass the bridge five times in a row, and those of all schemes twenty times")
  func hops() throws {
    let mail = try #require(URLScheme("mailto"))
    #expect(!isRefused { $0.hops = BridgeHops(https, count: 4) })
    #expect(isRefused { $0.hops = BridgeHops(https, count: 5) })
    #expect(!isRefused { $0.hops = BridgeHops(mail, count: 5) })
    #expect(!isRefused { $0.hops = BridgeHops(mail, count: 1, all: 19) })
    #expect(isRefused { $0.hops = BridgeHops(mail, count: 1, all: 20) })
  }
}

extension DaemonWorld {
  /// An open that is delivered to the desktop bridge, or to another application.
  func bridged(
    _ url: String, by application: InstalledApplication? = nil, canLoop: Bool = true
  ) throws -> PendingOpen {
    let bridge = try InstalledApplication.named(
      "desktop", program: .arguments([DesktopBridge.program]))
    return PendingOpen(
      payload: .url(url), receiver: .application(application ?? bridge), options: OpenOptions(),
      source: nil,
      reply: reply(url), share: .unit("tests"),
      entry: RequestEntry(number: 1, time: 0, caller: "tests", subject: url, handler: ""),
      isRepeated: false, passage: .init(canLoop: canLoop))
  }
}
