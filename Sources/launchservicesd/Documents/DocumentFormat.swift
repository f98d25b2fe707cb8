/// The formats of documents that are made from tables. The options `--print-settings` and `--print-contract` take one.
nonisolated enum DocumentFormat: String, Hashable, Sendable, CaseIterable {
  /// A manual page.
  case roff
  /// A part of a guide.
  case markdown
}
