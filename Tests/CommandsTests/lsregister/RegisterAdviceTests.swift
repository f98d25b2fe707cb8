import Commands
import DBus
import Foundation
import LaunchRules
import Testing

@testable import lsregister

/// Mistakes that people make with `lsregister`, and what it shows of URL types.
@Suite struct RegisterAdviceTests {
  @Test(
    "a scheme with its colon, and a URL, name the scheme",
    arguments: ["mnote:", "mnote:1", "mnote://", "mnote://a/b"])
  func colon(text: String) {
    #expect(
      runRegister(["default", text, "com.a"])
        == Ending(
          .usage,
          error: "lsregister: '\(text)' is not a URL scheme; give its name alone: mnote; try "
            + "'lsregister --help'\n"))
  }

  @Test("remove takes a path, also one where nothing is any more") func removesPath() {
    let script = ScriptedService(.success([]), .success([]))
    #expect(runRegister(["remove", "./no/Photos.app"], script) == Ending(.success))
    #expect(
      runRegister(["remove", "--json", "/a/../b.plist"], script)
        == Ending(.success, #"{"path":"/b.plist"}"# + "\n"))
    #expect(
      script.calls.map(\.arguments) == [[.string("/usr/no/Photos.app")], [.string("/b.plist")]])
  }

  @Test(
    "the name of an application in place of its identifier names the identifier",
    arguments: [["default", "mnote", "Note"], ["show", "Note"]])
  func nameForIdentifier(_ arguments: [String]) {
    let unknown: Result<[Value], ServiceFailure> =
      arguments[0] == "show"
      ? .success([.optionsList([])])
      : .failure(
        .refused(
          BusError(
            "org.launchservices.Error.NotRegistered", "no application Note is registered")))
    let note: Options = ["bundle-identifier": .string("com.example.note")]
    #expect(
      runRegister(arguments, ScriptedService(unknown, .success([.optionsList([note])])))
        == Ending(
          .failed,
          error: "lsregister: no application Note is registered; the application called 'Note' is"
            + " com.example.note\n"))
    #expect(
      runRegister(arguments, ScriptedService(unknown, .success([.optionsList([])])))
        == Ending(
          .failed,
          error: "lsregister: no application Note is registered; 'lsregister list' shows the"
            + " identifiers of applications\n"))
  }

  @Test("E3, F2: show prints role, rank and icon file of each URL type") func urlTypes() {
    let application: Options = [
      "bundle-identifier": .string("com.a"), "schemes": .strings(["x", "y", "z"]),
      "url-types": .optionsList([
        [
          "name": .string("com.a.x"), "role": .string("Editor"), "rank": .string("Owner"),
          "icon": .string("x.icns"), "schemes": .strings(["x", "y"]),
        ],
        ["role": .string("Viewer"), "rank": .string("Default"), "schemes": .strings(["z"])],
      ]),
    ]
    #expect(
      runRegister(["show", "com.a"], ScriptedService(.success([.optionsList([application])])))
        == Ending(
          .success,
          """
          bundle-identifier  com.a
          schemes            x
          schemes            y
          schemes            z
          url-type           name=com.a.x  role=Editor  rank=Owner  icon=x.icns  schemes=x,y
          url-type           role=Viewer  rank=Default  schemes=z

          """))
  }

  @Test("-f says that it registered a second copy, and fails when the first one is used")
  func secondCopy() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    let bundle = folder + "/Photos.app"
    try FileManager.default.createDirectory(atPath: bundle, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try Data().write(to: URL(filePath: bundle + "/Info.plist"))
    func copies(_ paths: String...) -> ScriptedService {
      ScriptedService(
        .success([.string("com.a")]),
        .success([.optionsList(paths.map { ["path": .string($0)] })]))
    }
    let own = bundle + "/Info.plist"
    #expect(
      runRegister(["-f", bundle], copies("/B.app/Info.plist", own))
        == Ending(
          .failed,
          error: "lsregister: 2 bundles have the identifier com.a: /B.app/Info.plist is used, and "
            + "not \(own); remove all but one of them, or change their identifiers\n"))
    #expect(runRegister(["-f", bundle], copies(own, "/B.app/Info.plist")).code == .success)
    #expect(runRegister(["-f", bundle], copies(own)) == Ending(.success))
  }
}
