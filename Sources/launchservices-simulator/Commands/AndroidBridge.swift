internal import Commands
internal import Foundation

/// `adb`, for one purpose: `adb shell am start -a android.intent.action.VIEW -d URL` opens the URL in the booted device
/// of `simctl`. The package of the intent is the bundle identifier.
struct AndroidBridge {
  let output: Output
  /// The serial number of the wanted device; nil for the only one, or the first.
  private var serial: String?

  init(output: Output) {
    self.output = output
    serial = ProcessArguments.environment("ANDROID_SERIAL").flatMap { $0.isEmpty ? nil : $0 }
  }

  mutating func run(_ arguments: [String]) -> Int32 {
    var rest = arguments[...]
    while let option = rest.first, option.hasPrefix("-") {
      rest = rest.dropFirst()
      switch option {
      case "-d", "-e", "-a": break
      case "-s": serial = rest.popFirst()
      case "-t", "-H", "-P", "-L": rest = rest.dropFirst()
      case "--version": return printVersion()
      case "--help": return help()
      default: return refuse("the option \(option) is not known")
      }
    }
    guard var command = rest.popFirst() else { return help() }
    do throws(SimulatorFailure) {
      if command == "wait-for-device" {
        while try !isThere { Thread.sleep(forTimeInterval: 0.1) }
        // What follows is a command for the device.
        guard let next = rest.popFirst() else { return 0 }
        command = next
      }
      switch command {
      case "help": return help()
      case "version": return printVersion()
      case "start-server", "kill-server": return 0
      case "devices":
        let devices = try devices()
        output.print("List of devices attached")
        for device in devices { output.print(columns: [device, "device"]) }
        output.print("")
        return 0
      case "get-state":
        guard try isThere else { return noDevice() }
        output.print("device")
        return 0
      case "shell":
        guard let device = try booted() else { return noDevice() }
        let words: [String]
        do throws(ShellWords.Refusal) {
          words = try ShellWords.split(rest.joined(separator: " "))
        } catch {
          return refuse("shell: \(error.reason)")
        }
        return try shell(words, device)
      default:
        return refuse(
          "\(command) is not available: this adb belongs to Launch Services for Linux, and opens URLs only"
        )
      }
    } catch {
      output.printError(error.lines)
      return 1
    }
  }

  /// The wanted device; nil when it is not booted.
  private func booted() throws(SimulatorFailure) -> (Device, Device.Boot)? {
    var number = 0
    for device in try DeviceSet(nil).all {
      guard let boot = device.boot else { continue }
      if serial == nil || serial == Self.serial(number) { return (device, boot) }
      number += 1
    }
    return nil
  }

  private var isThere: Bool { get throws(SimulatorFailure) { try booted() != nil } }

  private func devices() throws(SimulatorFailure) -> [String] {
    let count = try DeviceSet(nil).all.count(where: \.isBooted)
    return (0..<count).map(Self.serial)
  }

  /// The serial number of a booted device.
  private static func serial(_ number: Int) -> String { "emulator-\(5554 + 2 * number)" }

  private func noDevice() -> Int32 {
    if let serial {
      output.complain("device '\(serial)' not found")
      return 1
    }
    output.complain("no devices/emulators found; boot one with 'xcrun simctl boot DEVICE'")
    return 1
  }

  private func refuse(_ reason: String) -> Int32 {
    output.complain("\(reason); see 'adb help'")
    return 1
  }

  private func printVersion() -> Int32 {
    output.print([
      "Android Debug Bridge version 1.0.41", "Version \(version) (Launch Services for Linux)",
    ])
    return 0
  }

  private func help() -> Int32 {
    output.print([
      "Usage: adb shell am start [-W] -a android.intent.action.VIEW [-c CATEGORY]... -d URL [PACKAGE]",
      "       adb shell am force-stop PACKAGE",
      "       adb shell getprop sys.boot_completed",
      "       adb wait-for-device [COMMAND]",
      "       adb (devices | get-state | version)",
      "",
      "This adb belongs to Launch Services for Linux. It opens URLs in the booted device of 'xcrun simctl'.",
      "-s SERIAL, or ANDROID_SERIAL, names one of several, as 'adb devices' prints them.",
    ])
    return 0
  }

  // MARK: am

  private func shell(
    _ words: [String], _ device: (Device, Device.Boot)
  ) throws(SimulatorFailure) -> Int32 {
    switch words.prefix(2) {
    case ["am", "start"], ["am", "start-activity"]:
      do throws(ActivityIntent.Refusal) {
        return start(try ActivityIntent(Array(words.dropFirst(2))), device)
      } catch {
        return refuse("shell am start: \(error.reason)")
      }
    case ["am", "force-stop"] where words.count == 3:
      _ = try? device.0.terminate(words[2], device.1)
      return 0
    case ["getprop", "sys.boot_completed"] where words.count == 2:
      output.print("1")
      return 0
    case let question where question.first == "getprop":
      return refuse(
        "shell \(words.joined(separator: " ")) is not available: only 'getprop sys.boot_completed' is"
      )
    default:
      return refuse(
        "shell \(words.first ?? "") is not available: only 'am start' with a URL and 'am force-stop' are"
      )
    }
  }

  private func start(_ intent: ActivityIntent, _ device: (Device, Device.Boot)) -> Int32 {
    output.print("Starting: Intent { \(intent.description) }")
    let unresolved =
      "Error: Activity not started, unable to resolve Intent { \(intent.description) flg=0x10000000 }"
    if let package = intent.package, !intent.namesComponent,
      !device.0.claims(intent.url, package, device.1)
    {
      output.print(unresolved)
      return 1
    }
    let began = Date()
    var arguments = intent.package.map { ["-b", $0] } ?? []
    arguments += ["--verbatim", "-u", intent.url]
    let result = device.0.open(arguments, device.1)
    guard result.status == 0 else {
      let isUnknown = result.receipt["error"] as? String == "ApplicationNotFound"
      output.print(
        isUnknown
          ? unresolved
          : "Error: Activity not started: \(result.problem)")
      return 1
    }
    let isCold = result.receipt["launch"] as? String == "cold"
    if !isCold {
      output.print(
        "Warning: Activity not started, its current task has been brought to the front")
    }
    if intent.waits {
      let time = Int(Date().timeIntervalSince(began) * 1000)
      output.print([
        "Status: ok", "LaunchState: \(isCold ? "COLD" : "HOT")",
        "Activity: \(result.receipt["handler"] as? String ?? "")/.MainActivity",
        "TotalTime: \(time)", "WaitTime: \(time)", "Complete",
      ])
    }
    return 0
  }
}

/// The arguments of `am start`.
struct ActivityIntent {
  struct Refusal: Error { let reason: String }

  private(set) var action = ""
  private(set) var categories: [String] = []
  private(set) var url = ""
  private(set) var package: String?
  /// Whether a component is named, which gets the URL without a filter that matches.
  private(set) var namesComponent = false
  private(set) var waits = false

  init(_ arguments: [String]) throws(Refusal) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      func value() throws(Refusal) -> String {
        guard let value = rest.popFirst() else {
          throw Refusal(reason: "the option \(argument) needs a value")
        }
        return value
      }
      switch argument {
      case "-a": action = try value()
      case "-d": url = try value()
      case "-c": categories.append(try value())
      case "-p": package = try value()
      case "-n": try take(component: value())
      case "-W": waits = true
      case "-f", "--user": _ = try value()
      case "-S", "--activity-clear-top", "--activity-single-top", "--activity-new-task": break
      case _ where argument.hasPrefix("-"):
        throw Refusal(reason: "the option \(argument) is not available")
      case _ where argument.contains(":") && url.isEmpty: url = argument
      case _ where argument.contains("/"): take(component: argument)
      default: package = argument
      }
    }
    guard !url.isEmpty else { throw Refusal(reason: "there is no URL; give it with -d URL") }
    guard action.isEmpty || action == "android.intent.action.VIEW" else {
      throw Refusal(
        reason: "the action \(action) is not available, only android.intent.action.VIEW")
    }
  }

  /// Takes a component such as `com.example/.MainActivity`.
  private mutating func take(component: String) {
    package = String(component.prefix { $0 != "/" })
    namesComponent = true
  }

  var description: String {
    var parts = ["act=\(action.isEmpty ? "android.intent.action.VIEW" : action)"]
    if !categories.isEmpty { parts.append("cat=[\(categories.joined(separator: ","))]") }
    parts.append("dat=\(url)")
    if let package { parts.append("pkg=\(package)") }
    return parts.joined(separator: " ")
  }
}

/// Splits a command line as the shell of a device does, without running anything.
enum ShellWords {
  struct Refusal: Error { let reason: String }

  static func split(_ line: String) throws(Refusal) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = line[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case ("'", nil), ("\"", nil):
        quote = character
        word = word ?? ""
      case (_, character?): quote = nil
      case ("\\", nil), ("\\", "\""):
        guard let next = rest.popFirst() else {
          throw Refusal(reason: "the line ends with a backslash")
        }
        if quote == "\"", !"\"\\$`".contains(next) { word = (word ?? "") + "\\" }
        word = (word ?? "") + String(next)
      case ("$", nil), ("$", "\""), ("`", nil), ("`", "\""):
        throw Refusal(
          reason: "variables and commands in the line are not available; write \\\(character)")
      case (_, nil) where ";|&<>()".contains(character):
        throw Refusal(
          reason:
            "the device's shell would end the command at \(character); write \\\(character), or quote the URL twice"
        )
      case (_, nil) where character.isWhitespace:
        if let finished = word { words.append(finished) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    guard quote == nil else { throw Refusal(reason: "a quotation mark is not closed") }
    if let word { words.append(word) }
    return words
  }
}
