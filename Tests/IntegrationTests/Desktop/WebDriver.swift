import Foundation
import LaunchServicesTesting
import Testing

/// One session of a browser, driven as the W3C's WebDriver says: JSON over HTTP.
@MainActor struct WebDriver {
  private let world: Testbed
  /// Of the session.
  private let address: String

  /// - Parameters:
  ///   - driver: the address of the driver, such as `http://127.0.0.1:9515`.
  ///   - capabilities: what the session must have.
  init(driver: String, capabilities: PropertyListValue, in world: Testbed) async throws {
    self.world = world
    struct Session: Decodable {
      var sessionId: String
    }
    let path = driver + "/session"
    let body: PropertyListValue = ["capabilities": ["alwaysMatch": capabilities]]
    // A browser on a machine that is busy with other tests sometimes ends while it starts.
    var answer = try await Self.answer("POST", path, body, in: world)
    for _ in 0..<3 where answer.status != "200" {
      answer = try await Self.answer("POST", path, body, in: world)
    }
    let session: Session = try Self.value(of: answer)
    address = driver + "/session/" + session.sessionId
  }

  /// Returns when the page has loaded.
  func go(to url: String) async throws {
    let _: Nothing = try await send("POST", "/url", ["url": .string(url)])
  }

  /// Clicks as a person would.
  /// - Parameter selector: of CSS; the first element counts.
  func click(_ selector: String) async throws {
    let found: [String: String] = try await send(
      "POST", "/element", ["using": "css selector", "value": .string(selector)])
    let element = try #require(found.values.first)
    let _: Nothing = try await send("POST", "/element/\(element)/click", [:])
  }

  /// Ends the browser.
  func quit() async throws {
    let _: Nothing = try await send("DELETE", "", [:])
  }

  private struct Nothing: Decodable {
    init(from decoder: any Decoder) throws {}
  }

  private struct Reply<Value: Decodable>: Decodable {
    var value: Value
  }

  /// Foundation's own client for HTTP does not understand the headers of ChromeDriver.
  private static let client = """
    import json, sys, urllib.error, urllib.request
    method, address, body = sys.argv[1:]
    request = urllib.request.Request(
        address, body.encode(), {"Content-Type": "application/json"}, method=method)
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    print("status", answer.status, json.dumps(json.load(answer)), flush=True)
    """

  private func send<Value: Decodable>(
    _ method: String, _ path: String, _ body: PropertyListValue
  ) async throws -> Value {
    try await Self.send(method, address + path, body, in: world)
  }

  private static func send<Value: Decodable>(
    _ method: String, _ address: String, _ body: PropertyListValue, in world: Testbed
  ) async throws -> Value {
    try value(of: try await answer(method, address, body, in: world))
  }

  private static func value<Value: Decodable>(
    of answer: (status: String, body: String)
  ) throws -> Value {
    try #require(answer.status == "200", "\(answer.body)")
    return try JSONDecoder().decode(Reply<Value>.self, from: Data(answer.body.utf8)).value
  }

  private static func answer(
    _ method: String, _ address: String, _ body: PropertyListValue, in world: Testbed
  ) async throws -> (status: String, body: String) {
    let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
    let process = try world.startProcess("/usr/bin/python3", ["-c", client, method, address, text])
    let line = try await process.line(containing: "status ")
    let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
    try #require(parts.count == 3, "\(line)")
    return (parts[1], parts[2])
  }
}
