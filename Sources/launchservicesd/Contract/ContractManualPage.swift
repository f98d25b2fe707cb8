internal import BusContract
internal import DBus

nonisolated extension ContractDocumentation {
  /// org.launchservices.LaunchServices1(5).
  static var manualPage: String {
    var lines = [
      #".\" Made by Tests/update\-documents from Sources/BusContract; change that."#,
      #".TH ORG.LAUNCHSERVICES.LAUNCHSERVICES1 5 2026-11-23 "Launch Services" "File Formats""#,
      ".SH NAME",
      #"org.launchservices.LaunchServices1 \- D\-Bus interfaces of Launch Services"#,
      ".SH SYNOPSIS",
      "Bus name:", ".B " + Roff.escaped(Contract.busName.text), ".br",
      "Object:", ".B " + Roff.escaped(Contract.objectPath.text), ".br",
      "Object of a handler:", ".B " + Roff.escaped(Contract.applicationPath.text),
      ".SH DESCRIPTION",
    ]
    lines += Roff.sentences(
      """
      The service, launchservicesd, exports \(names(Contract.interfaces)) on the session bus. A handler \
      exports \(names([Contract.applicationInterface])). A program that asks the user exports \
      \(names([Contract.confirmationAgentInterface])). The letters of types are those of the D-Bus \
      specification.
      """)
    for rule in rules { lines += [".PP"] + Roff.sentences(rule) }
    for interface in interfaces { lines += section(interface) }
    lines.append(".SH DICTIONARIES")
    lines += Roff.sentences("Dictionaries of type a{sv} that several calls have.")
    for dictionary in sharedDictionaries {
      lines.append(".SS " + Roff.escaped(dictionary.title ?? ""))
      lines += list(dictionary)
    }
    lines.append(".SH ERRORS")
    lines += Roff.sentences(errorsIntroduction)
    for error in Contract.errors {
      lines += tagged(".B " + Roff.escaped(error.name), sentence(error))
    }
    return (lines + end).map { $0 + "\n" }.joined()
  }

  private static let end = [
    ".SH EXAMPLES",
    #"Ask whether the application com.example.photo\-album can open a URL:"#, ".PP", ".nf", ".RS",
    #"gdbus call \-\-session \-\-dest org.launchservices.LaunchServices1 \e"#,
    #"  \-\-object\-path /org/launchservices/LaunchServices1 \e"#,
    #"  \-\-method org.launchservices.Workspace1.CanOpenURL \e"#,
    #"  iapp://rank "{\(aqas\(aq: <\(aqcom.example.photo\-album\(aq>}""#,
    ".RE", ".fi",
    ".SH SEE ALSO",
    ".BR gdbus (1),", ".BR lsopen (1),", ".BR lsregister (1),",
    #".BR launch\-services.plist (5),"#, #".BR launch\-services (7),"#, ".BR launchservicesd (8)",
  ]

  private static func names(_ interfaces: [InterfaceDescription]) -> String {
    interfaces.map { "`\($0.name)`" }.joined(separator: ", ")
  }

  private static func section(_ interface: InterfaceDescription) -> [String] {
    var lines = [".SH " + shortName(interface).uppercased()]
    lines += Roff.sentences("Interface `\(interface.name)`. " + interface.documentation)
    for method in interface.methods {
      lines.append(".SS " + Roff.escaped(synopsis(method, arrow: "->")))
      lines += Roff.sentences(method.documentation)
      lines += arguments(method.inputs + method.outputs)
    }
    for signal in interface.signals {
      lines.append(".SS " + Roff.escaped("Signal \(signal.name) (\(list(signal.arguments)))"))
      lines += Roff.sentences(signal.documentation)
      lines += arguments(signal.arguments)
    }
    for property in interface.properties {
      lines.append(".SS " + Roff.escaped("Property \(property.name), \(property.type), read-only"))
      lines += Roff.sentences(property.documentation)
    }
    return lines
  }

  private static func arguments(_ arguments: [InterfaceDescription.Argument]) -> [String] {
    arguments.flatMap { item($0.name, $0.type, $0.documentation, $0.dictionary) }
  }

  private static func list(_ dictionary: DictionaryDescription) -> [String] {
    dictionary.entries.flatMap { item($0.key, $0.type, $0.documentation, $0.dictionary) }
  }

  private static func item(
    _ name: String, _ type: Signature, _ documentation: String, _ dictionary: DictionaryDescription?
  ) -> [String] {
    let lines = tagged(
      "\\fB\(Roff.escaped(name))\\fR \(type.text)", sentence(documentation, dictionary))
    guard let dictionary, dictionary.title == nil, !dictionary.entries.isEmpty else { return lines }
    return lines + [".RS"] + list(dictionary) + [".RE"]
  }

  private static func tagged(_ tag: String, _ text: String) -> [String] {
    [".TP", tag] + Roff.sentences(text)
  }
}
