internal import Commands
internal import FoundationEssentials
internal import Glibc

/// The program that scripts call by the names `xcrun` and `adb`. A simulator of this program is a folder with a bus and a
/// daemon of its own; it runs no program of iOS or Android.
@main enum SimulatorProgram {
  static func main() {
    let output = Output.ofProcess(command: name)
    do throws(CommandFailure) {
      let arguments = try ProcessArguments.all()
      let status =
        switch name {
        case "adb": android(arguments, output)
        default: DeveloperTools(output: output).run(arguments)
        }
      ProcessArguments.end(status: status)
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }

  private static func android(_ arguments: [String], _ output: Output) -> Int32 {
    var bridge = AndroidBridge(output: output)
    return bridge.run(arguments)
  }

  private static var name: String {
    (ProcessArguments.programName ?? "xcrun").split(separator: "/").last.map(String.init) ?? "xcrun"
  }
}

/// `xcrun`: finds `simctl`, and no other tool.
struct DeveloperTools {
  let output: Output

  func run(_ arguments: [String]) -> Int32 {
    var rest = arguments[...]
    var finds = false
    while let option = rest.first, option.hasPrefix("-") {
      rest = rest.dropFirst()
      switch option {
      case "--sdk", "-sdk", "--toolchain", "-toolchain": rest = rest.dropFirst()
      case "--find", "-find", "-f": finds = true
      case "--run", "-r", "--log", "-l", "--verbose", "-v", "--no-cache", "-n": break
      case "--version", "-version":
        output.print("xcrun version 70 (Launch Services \(version))")
        return 0
      case "--help", "-help", "-h": return help()
      case _ where option.drop { $0 == "-" }.hasPrefix("show-"):
        output.complain(
          "error: \(option) is not available: there is no SDK on this machine; this xcrun belongs to Launch"
            + " Services for Linux, and runs 'xcrun simctl' and 'xcrun --find simctl' only")
        return 1
      default:
        output.complain("error: the option \(option) is not known; see xcrun --help")
        return 64
      }
    }
    guard let tool = rest.first else { return help() }
    guard tool == "simctl" else {
      output.complain(
        "error: unable to find utility \"\(tool)\", not a developer tool or in PATH; this xcrun belongs"
          + " to Launch Services for Linux and has simctl only")
      return 72
    }
    if finds {
      output.print(
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "xcrun")
      return 0
    }
    return Simctl(output: output).run(Array(rest.dropFirst()))
  }

  private func help() -> Int32 {
    output.print([
      "Usage: xcrun simctl SUBCOMMAND ...",
      "This xcrun belongs to Launch Services for Linux. It has one tool, simctl, with the subcommands for",
      "deep links; 'xcrun simctl help' lists them.",
    ])
    return 0
  }
}
