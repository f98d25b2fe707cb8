package import DBus

/// The calls that the daemon sends to the user's service manager (org.freedesktop.systemd1(5)).
package enum ServiceManagerContract {
  package static let name: BusName = "org.freedesktop.systemd1"
  private static let path: ObjectPath = "/org/freedesktop/systemd1"
  package static let manager: InterfaceName = "org.freedesktop.systemd1.Manager"
  package static let service: InterfaceName = "org.freedesktop.systemd1.Service"
  package static let unit: InterfaceName = "org.freedesktop.systemd1.Unit"

  package enum Member: String, CaseIterable {
    case startTransientUnit = "StartTransientUnit"
    case stopUnit = "StopUnit"
    case refUnit = "RefUnit"
    case unrefUnit = "UnrefUnit"
    case freezeUnit = "FreezeUnit"
    case thawUnit = "ThawUnit"
    case subscribe = "Subscribe"
  }

  package static func call(_ member: Member, _ arguments: [Value] = []) -> Message {
    .call(
      to: name, path: path, interface: manager, member: MemberName(stringLiteral: member.rawValue),
      arguments)
  }

  /// Reads the control group of the manager, which contains those of all units.
  package static func controlGroup() -> Message { property("ControlGroup", of: manager, at: path) }

  package static func property(
    _ property: String, of interface: InterfaceName, at path: ObjectPath
  ) -> Message {
    .call(
      to: name, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
      [.string(interface.text), .string(property)])
  }

  // MARK: Signals

  package static let jobRemoved =
    "type='signal',sender='\(name)',path='\(path)',interface='\(manager)',member='JobRemoved'"

  /// The match rule for changes of one unit.
  package static func changes(of unit: ObjectPath) -> String {
    "type='signal',sender='\(name)',path='\(unit)',interface='org.freedesktop.DBus.Properties',"
      + "member='PropertiesChanged'"
  }

  package static func listen(_ rule: String, _ isWanted: Bool = true) -> Message {
    MessageBus.match(rule, isWanted)
  }

  // MARK: Units

  /// The properties of a transient service unit.
  package struct Service {
    package var description: String
    /// The absolute path.
    package var executable: String
    /// The arguments without the program's own name.
    package var arguments: [String]
    package var environment: [String: String]
    /// Variables that the unit does not inherit from the manager.
    package var withoutVariables: [String]
    package var workingDirectory: String
    /// The standard streams; nil for an empty input, and for the journal.
    package var standardInput: OwnedDescriptor?
    package var standardOutput: OwnedDescriptor?
    package var standardError: OwnedDescriptor?

    package init(
      description: String, executable: String, arguments: [String], environment: [String: String],
      withoutVariables: [String], workingDirectory: String
    ) {
      self.description = description
      self.executable = executable
      self.arguments = arguments
      self.environment = environment
      self.withoutVariables = withoutVariables
      self.workingDirectory = workingDirectory
    }

    /// The last two arguments of `StartTransientUnit`.
    fileprivate var properties: [Value] {
      // `no-env-expand`: `$` and `%` in arguments have no special meaning.
      let command = Value.structure([
        .string(executable), .strings([executable] + arguments), .strings(["no-env-expand"]),
      ])
      var properties: [(String, Value)] = [
        ("Description", .string(description)),
        ("Type", .string("exec")),  // started means that the program runs
        ("Slice", .string("app.slice")),
        // The unit is kept while this connection holds a reference, and is then unloaded, also if it failed.
        ("AddRef", .boolean(true)), ("CollectMode", .string("inactive-or-failed")),
        // Processes that the application started may outlive it, as with a child process of the daemon.
        ("KillMode", .string("process")),
        ("IgnoreSIGPIPE", .boolean(false)),
        ("ExecStartEx", .array(of: "(sasas)", [command])),
        ("WorkingDirectory", .string(workingDirectory)),
        ("Environment", .strings(environment.map { "\($0.key)=\($0.value)" }.sorted())),
        ("UnsetEnvironment", .strings(withoutVariables)),
      ]
      properties.append(
        standardInput.map { ("StandardInputFileDescriptor", .descriptor($0)) }
          ?? ("StandardInput", .string("null")))
      properties.append(
        standardOutput.map { ("StandardOutputFileDescriptor", .descriptor($0)) }
          ?? ("StandardOutput", .string("journal")))
      properties.append(
        standardError.map { ("StandardErrorFileDescriptor", .descriptor($0)) }
          ?? ("StandardError", .string("journal")))
      return [
        .array(
          of: "(sv)", properties.map { .structure([.string($0.0), .variant($0.1)]) }),
        .array(of: "(sa(sv))", []),
      ]
    }
  }

  package static func start(_ unit: String, _ service: Service) -> Message {
    call(.startTransientUnit, [.string(unit), .string("fail")] + service.properties)
  }
}
