import Commands
import DBus
import Testing

@testable import Commands

@Suite struct TextTests {
  static let visible: [(String, String)] = [
    ("plain é 漢", "plain é 漢"),
    ("a\nb\r\tc", "a\\nb\\r\\tc"),
    ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
    ("\u{9b}31m\u{7f}\0", "\\u{9b}31m\\u{7f}\\u{0}"),
    ("\u{202e}txt.exe\u{2066}\u{2028}\u{200f}", "\\u{202e}txt.exe\\u{2066}\\u{2028}\\u{200f}"),
    ("\r\n", "\\r\\n"),
    (
      "pay\u{200b}pal\u{200d}\u{2060}\u{feff}\u{ad}",
      "pay\\u{200b}pal\\u{200d}\\u{2060}\\u{feff}\\u{ad}"
    ),
    (
      "\u{34f}\u{115f}\u{1160}\u{17b4}\u{180b}\u{180e}",
      "\\u{34f}\\u{115f}\\u{1160}\\u{17b4}\\u{180b}\\u{180e}"
    ),
    (
      "\u{3164}\u{ffa0}\u{fe0f}\u{e0041}\u{e0100}\u{61c}",
      "\\u{3164}\\u{ffa0}\\u{fe0f}\\u{e0041}\\u{e0100}\\u{61c}"
    ),
    ("a\u{2800}b", "a\\u{2800}b"),
    ("\u{fff9}\u{378}\u{10ffff}", "\\u{fff9}\\u{378}\\u{10ffff}"),
    ("e\u{301} \u{a0} \u{e000}", "e\u{301} \u{a0} \u{e000}"),
  ]

  @Test("what a terminal would act on is written out", arguments: visible)
  func showsText(text: String, shown: String) { #expect(text.visible == shown) }

  @Test("columns stand below each other and the last is not filled up")
  func columns() {
    #expect(Columns.lines([]) == [])
    #expect(
      Columns.lines([["a", "bbb", "c"], ["aaa", "b", "cc"], ["a", "very long last cell"], ["z"]])
        == ["a    bbb  c", "aaa  b    cc", "a    very long last cell", "z"])
    #expect(
      Columns.lines([["\u{1b}", "x"], ["aaaaaaaa", "y"]]) == ["\\u{1b}    x", "aaaaaaaa  y"])
  }

  static let failures: [(BusError, Bool, ServiceFailure)] = [
    (.noReply("x"), true, .timedOut), (.timedOut, false, .timedOut),
    (.noReply("x"), false, .ended),
    (.disconnected("x"), false, .noSessionBus("x")),
    (BusError("org.freedesktop.DBus.Error.ServiceUnknown", "x"), false, .notRunning("x")),
    (BusError("org.freedesktop.DBus.Error.NameHasNoOwner", "x"), false, .notRunning("x")),
    (BusError("org.freedesktop.DBus.Error.TimedOut", "x"), false, .notRunning("x")),
    (BusError("org.freedesktop.DBus.Error.Spawn.ChildExited", "x"), false, .notRunning("x")),
    (.invalidArguments("x"), true, .refused(.invalidArguments("x"))),
  ]

  @Test("a failure of the bus is told from a refusal", arguments: failures)
  func tellsFailure(error: BusError, timeIsUp: Bool, failure: ServiceFailure) {
    #expect(ServiceFailure(error, timeIsUp: timeIsUp) == failure)
  }

  static let codes: [(ServiceFailure, ExitCode)] = [
    (.noSessionBus("x"), .serviceUnreachable), (.notRunning("x"), .serviceUnreachable),
    (.timedOut, .failed), (.ended, .failed), (.cutOff("x"), .failed),
    (.refused(.failed("x")), .failed),
  ]

  @Test("only a daemon that cannot be reached is status 3", arguments: codes)
  func givesCode(failure: ServiceFailure, code: ExitCode) {
    #expect(CommandFailure(failure).code == code)
  }

  @Test("a refusal without text is told by its name")
  func namelessRefusal() {
    let failure = CommandFailure(.refused(BusError("org.example.Error.Odd", "")))
    #expect(failure.reason == "org.example.Error.Odd")
  }
}
