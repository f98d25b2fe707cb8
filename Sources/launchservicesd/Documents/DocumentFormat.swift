/// The formats of documents that are made from tables. The option `--print-settings` takes one.
nonisolated enum DocumentFormat: String, Hashable, Sendable, CaseIterable {
  /// A manual page.
  case roff
  /// A part of a guide.
  case markdown
}

/// The formats of the descriptions of the D-Bus interfaces. The option `--print-contract` takes one.
nonisolated enum ContractFormat: String, Hashable, Sendable, CaseIterable {
  /// A manual page.
  case roff
  /// A part of a guide.
  case markdown
  /// Introspection data, for the folder `dbus-1/interfaces`.
  case xml
}
