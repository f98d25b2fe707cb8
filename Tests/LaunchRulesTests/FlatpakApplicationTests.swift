import LaunchRules
import Testing

@Suite("The name in .flatpak-info")
struct FlatpakApplicationTests {
  struct Vector: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let text: String
    var name: String?
  }

  static let vectors = [
    Vector(
      testDescription: "as Flatpak writes it",
      text: "[Application]\nname=org.example.App\nruntime=runtime/org.example/x86_64/1\n\n"
        + "[Instance]\ninstance-id=1\nname=org.example.Other\n",
      name: "org.example.App"),
    Vector(
      testDescription: "in another group first", text: "[Runtime]\nname=a\n[Application]\nname=b.c",
      name: "b.c"),
    Vector(testDescription: "of a runtime", text: "[Runtime]\nname=org.example.Platform\n"),
    Vector(testDescription: "twice", text: "[Application]\nname=a.b\nname=c.d\n"),
    Vector(testDescription: "in two groups", text: "[Application]\nname=a\n[X]\n[Application]\n"),
    Vector(testDescription: "before any group", text: "name=a.b\n[Application]\n"),
    Vector(testDescription: "with blanks", text: "[Application]\nname = a.b\n"),
    Vector(testDescription: "in a group that is not closed", text: "[Application\nname=a.b\n"),
    Vector(testDescription: "beside a line that is none", text: "[Application]\nname=a.b\nodd\n"),
    Vector(testDescription: "nowhere", text: ""),
  ]

  @Test("is taken when nothing is odd", arguments: vectors)
  func name(_ vector: Vector) {
    #expect(FlatpakApplication.name(in: Array(vector.text.utf8)) == vector.name)
  }

  @Test(
    "counts only when the unit of the process says the same",
    arguments: [
      ("app-flatpak-a.b-123.scope", true), ("app-flatpak-a.b@1.service", true),
      ("app-flatpak-c.d-123.scope", false), ("app-gnome-a.b-123.scope", false),
      ("app-a.b-123.scope", false), ("session.slice", false), (nil, false),
    ])
  func unit(unit: String?, isTaken: Bool) {
    let file = Array("[Application]\nname=a.b\n".utf8)
    #expect(
      FlatpakApplication.identifier(in: file, unit: unit)
        == (isTaken ? BundleIdentifier("a.b") : nil))
  }

  @Test("is not taken from bytes that are no text, nor from a long file") func limits() {
    #expect(FlatpakApplication.name(in: Array("[Application]\nname=a.b\n#".utf8) + [0xff]) == nil)
    let head = "[Application]\nname=a.b\n#"
    let longest =
      head + String(repeating: "x", count: FlatpakApplication.largestFile - head.utf8.count)
    #expect(FlatpakApplication.name(in: Array(longest.utf8)) == "a.b")
    let long = "[Application]\nname=a.b\n#" + String(repeating: "x", count: 65536)
    #expect(FlatpakApplication.name(in: Array(long.utf8)) == nil)
  }
}
