import Commands
import LaunchRules

@testable import lsopen
@testable import lsregister

/// Runs `lsopen` with a daemon that has prepared answers.
func runOpen(
  _ arguments: [String], _ script: ScriptedService = ScriptedService(), in folder: String = "/usr",
  environment: [String: String] = [:], showsRemarks: Bool = false
) -> Ending {
  let screen = Screen()
  let command = OpenCommand(
    service: script.service, output: screen.output(of: "lsopen"), environment: { environment[$0] },
    folder: folder, showsRemarks: showsRemarks, newRequestID: { "id" },
    pause: { script.pauses.append($0) })
  let code = command.run(arguments)
  return Ending(code, screen.standardOutput, error: screen.standardError)
}

/// Runs `lsregister` with a daemon that has prepared answers.
func runRegister(
  _ arguments: [String], _ script: ScriptedService = ScriptedService(),
  _ languages: PreferredLanguages = .none
) -> Ending {
  let screen = Screen()
  let command = RegisterCommand(
    service: script.service, output: screen.output(of: "lsregister"), folder: "/usr",
    languages: languages)
  let code = command.run(arguments)
  return Ending(code, screen.standardOutput, error: screen.standardError)
}
