/// The installed applications and the handlers of each scheme.
///
/// Registries with equal contents give equal answers, regardless of the order of changes. The handlers of a
/// scheme are sorted after changes, so that queries never sort.
package struct Registry: Sendable {
  package let policy: CollisionPolicy
  /// The name or the identifier of the device that makes calls (setting `CallsFrom`); nil for none.
  package let callsFrom: String?
  /// Grows by one with each effective change.
  package private(set) var generation: UInt64 = 0

  /// The records of all property lists.
  private(set) var installed = RecordTable<PropertyListKey>()
  /// The copies in use.
  private(set) var inUse = RecordTable<IdentifierKey>()
  /// The copies of applications that have several.
  private(set) var copies: [BundleIdentifier: Copies] = [:]
  private(set) var userBindings = UserBindings()
  /// The handlers of each scheme, best first.
  private(set) var handlers: [URLScheme: [ApplicationRecord]] = [:]
  private(set) var hostHandlers = HostHandlers()
  package private(set) var types = TypeTable()
  private(set) var documentClaims = DocumentClaims()
  package private(set) var documentChoices = DocumentChoices()
  private(set) var linkDomains = LinkClaims()
  private var cache: any ApplicationCache

  package init(
    policy: CollisionPolicy = .lastInstalled, callsFrom: String? = nil,
    cache: any ApplicationCache = NoCache()
  ) {
    self.policy = policy
    self.callsFrom = callsFrom
    self.cache = cache
  }

  /// Schemes that are handled only within the application that shows the URL (R2.10). Claims on them have no
  /// effect.
  package static let neverDispatched = Set(
    ["data", "about", "javascript", "blob"].compactMap(URLScheme.init))
}

// MARK: - Changes

extension Registry {
  /// Adds the application, or replaces the one with the same property list. Returns true when something
  /// changed.
  @discardableResult
  package mutating func install(_ application: InstalledApplication) -> Bool {
    change(removing: [], installing: [ApplicationRecord(application)])
  }

  /// Returns the removed application.
  @discardableResult
  package mutating func remove(propertyList path: String) -> InstalledApplication? {
    let removed = application(at: path)
    change(removing: [path], installing: [])
    return removed
  }

  /// Removes property lists, then installs applications, as one change that sorts each scheme once. Returns
  /// true when something changed.
  @discardableResult
  package mutating func change(
    removing paths: [String], installing records: [ApplicationRecord]
  ) -> Bool {
    var added = RecordTable<PropertyListKey>()
    added.reserveCapacity(records.count)
    for record in records { added.insert(record) }
    guard installed.count > 0 || added.count == 0 else {
      fill(with: added)
      return true
    }
    let changed = added.records.filter { installed[like: $0] != $0 }
    let gone = paths.compactMap { installed[like: ApplicationRecord(probe: $0)] }.filter {
      !added.contains($0)
    }
    guard !changed.isEmpty || !gone.isEmpty else { return false }

    let old = gone + changed.compactMap { installed[like: $0] }
    var touched = RecordTable<IdentifierKey>()
    touched.reserveCapacity(old.count + changed.count)
    for record in old + changed { touched.insert(record) }
    let before = touched.records.map { (identity: $0, old: inUse[like: $0]) }
    installed.reserveCapacity(installed.count + changed.count)
    inUse.reserveCapacity(inUse.count + changed.count)
    for record in old { takeAway(record) }
    for record in changed { add(record) }
    resort(before.filter { inUse[like: $0.identity] != $0.old })
    hasChanged()
    return true
  }

  /// The first change of an empty registry, which needs no lookups or removals.
  private mutating func fill(with added: RecordTable<PropertyListKey>) {
    installed = added
    inUse.reserveCapacity(added.count)
    for record in added.records { use(record) }
    handlers.reserveCapacity(added.count)
    var reader = HandlingFieldsReader()
    var shared: Set<URLScheme> = []
    for record in inUse.records {
      updateHosts(from: nil, to: record)
      updateDocuments(from: nil, to: record)
      linkDomains.update(from: nil, to: record)
      for scheme in handled(by: record, &reader) {
        if Self.append(record, to: &handlers[scheme, default: []]) > 1 { shared.insert(scheme) }
      }
    }
    let nobody = RecordTable<IdentifierKey>()
    for scheme in shared {
      let records = handlers.removeValue(forKey: scheme) ?? []
      resort(scheme, without: nobody, with: records, &reader)
    }
    hasChanged()
  }

  /// The schemes that the application claims, possibly with duplicates, and those with a user's choice of the
  /// application.
  private func handled(
    by record: ApplicationRecord, _ reader: inout HandlingFieldsReader
  ) -> [URLScheme] {
    let claims = record.claims.filter { !Self.neverDispatched.contains($0) }
    guard !userBindings.identifiers.isEmpty, let identifier = record.identifier else {
      return claims
    }
    return claims
      + chosenSchemes(of: identifier).filter {
        standing(of: record, for: $0, &reader) != nil
      }
  }

  /// Appends the record unless it is the last one already.
  /// - Returns: the new number of records.
  private static func append(
    _ record: ApplicationRecord, to records: inout [ApplicationRecord]
  ) -> Int {
    if records.last != record { records.append(record) }
    return records.count
  }

  /// Sets the generation to the next one after that of the replaced registry.
  package mutating func follow(_ other: Self) { generation = other.generation + 1 }

  private mutating func hasChanged() {
    cache = cache.afterChange()
    generation += 1
  }

  /// Sets the user's choice for a scheme, or removes it with nil. Returns true when something changed; never
  /// for schemes that are not dispatched. The application need not be installed: the choice has an effect
  /// once it is.
  @discardableResult
  package mutating func bind(_ scheme: URLScheme, to identifier: BundleIdentifier?) -> Bool {
    let old = userBindings[scheme]
    guard old != identifier, !Self.neverDispatched.contains(scheme) else { return false }
    userBindings[scheme] = identifier
    var touched = RecordTable<IdentifierKey>()
    for identifier in [old, identifier].compactMap(\.self) {
      if let record = record(of: identifier) { touched.insert(record) }
    }
    let handling = touched.records.filter { standing(of: $0, for: scheme) != nil }
    var reader = HandlingFieldsReader()
    resort(scheme, without: touched, with: Array(handling), &reader)
    generation += 1
    return true
  }

  mutating func changeDocumentChoices(_ change: (inout DocumentChoices) -> Void) -> Bool {
    let old = documentChoices
    change(&documentChoices)
    guard documentChoices != old else { return false }
    generation += 1
    return true
  }

  private mutating func takeAway(_ old: ApplicationRecord) {
    guard installed[like: old] != nil else { return }
    installed.remove(like: old)
    guard let identifier = old.identifier, let all = copies[identifier] else {
      return inUse.remove(like: old)
    }
    let rest = all.records.filter { !PropertyListKey.areEqual($0, old) }
    copies[identifier] = rest.count > 1 ? Copies(rest) : nil
    inUse.insert(copies[identifier]?.inUse ?? rest[0])
  }

  private mutating func add(_ record: ApplicationRecord) {
    installed.insert(record)
    use(record)
  }

  /// Adds the record to the copies of its application.
  private mutating func use(_ record: ApplicationRecord) {
    guard let other = inUse.insertIfAbsent(record), let identifier = record.identifier else {
      return
    }
    let all = Copies((copies[identifier]?.records ?? [other]) + [record])
    copies[identifier] = all
    inUse.insert(all.inUse)
  }

  /// Updates the handlers of applications with a different copy in use, or none. Changes only the schemes of
  /// these applications.
  private mutating func resort(_ changed: [(identity: ApplicationRecord, old: ApplicationRecord?)])
  {
    var touched = RecordTable<IdentifierKey>()
    var added: [URLScheme: [ApplicationRecord]] = [:]
    added.reserveCapacity(changed.count)
    var reader = HandlingFieldsReader()
    for (identity, old) in changed {
      touched.insert(identity)
      let new = inUse[like: identity]
      updateHosts(from: old, to: new)
      updateDocuments(from: old, to: new)
      linkDomains.update(from: old, to: new)
      if let new {
        for scheme in handled(by: new, &reader) {
          _ = Self.append(new, to: &added[scheme, default: []])
        }
      }
      if let old {
        let bound =
          userBindings.identifiers.isEmpty
          ? [] : identity.identifier.map(chosenSchemes) ?? []
        for scheme in old.claims + bound where added[scheme] == nil { added[scheme] = [] }
      }
    }
    handlers.reserveCapacity(handlers.count + added.count)
    for (scheme, records) in added { resort(scheme, without: touched, with: records, &reader) }
  }

  /// Removes applications from the handlers of a scheme, and inserts others at their ranks.
  private mutating func resort(
    _ scheme: URLScheme, without touched: RecordTable<IdentifierKey>,
    with added: [ApplicationRecord], _ reader: inout HandlingFieldsReader
  ) {
    var all = handlers.removeValue(forKey: scheme) ?? []
    // The fast path for one changed application among very many.
    if touched.count == 1, let one = touched.records.first {
      all.firstIndex { IdentifierKey.areEqual($0, one) }.map { _ = all.remove(at: $0) }
    } else {
      all.removeAll { touched.contains($0) }
    }
    if added.count > 1, added.count > all.count / 16 {
      let placed = (all + added).compactMap { record in
        standing(of: record, for: scheme, &reader).map { (record: record, standing: $0) }
      }
      all = placed.sorted { $0.standing < $1.standing }.map(\.record)
    } else {
      for one in added {
        all.insert(one, at: all.isEmpty ? 0 : place(for: one, in: all, scheme, &reader))
      }
    }
    if !all.isEmpty { handlers[scheme] = all }
  }

  private func place(
    for record: ApplicationRecord, in records: [ApplicationRecord], _ scheme: URLScheme,
    _ reader: inout HandlingFieldsReader
  ) -> Int {
    let standing = standing(of: record, for: scheme, &reader)
    var places = records.startIndex...records.endIndex
    while places.lowerBound < places.upperBound, let standing {
      let middle = (places.lowerBound + places.upperBound) / 2
      let isBehind =
        self.standing(of: records[middle], for: scheme, &reader).map { $0 < standing } ?? false
      places = isBehind ? middle + 1...places.upperBound : places.lowerBound...middle
    }
    return places.lowerBound
  }

  private mutating func updateHosts(from old: ApplicationRecord?, to new: ApplicationRecord?) {
    let old = old.flatMap { $0.isSystem ? $0.application : nil }
    let new = new.flatMap { $0.isSystem ? $0.application : nil }
    guard let identifier = new?.identifier ?? old?.identifier else { return }
    hostHandlers.update(identifier, from: old, to: new, policy)
  }

  private mutating func updateDocuments(from old: ApplicationRecord?, to new: ApplicationRecord?) {
    let old = old.flatMap { $0.hasDocuments ? $0.application : nil }
    let new = new.flatMap { $0.hasDocuments ? $0.application : nil }
    guard old != nil || new != nil else { return }
    types.update(from: old, to: new)
    documentClaims.update(from: old, to: new, policy)
  }

  /// The copy in use, decoded.
  func ready(_ identifier: BundleIdentifier) -> ReadyApplication? {
    // The closure captures the table alone: a copy of the registry costs more than the lookup.
    let found = cache.ready(identifier) { [inUse] in
      inUse[like: ApplicationRecord(probe: "", identifier)]
    }
    guard found == nil, DesktopTwinRule.twin(ofEntry: identifier) != nil,
      let listed = record(of: identifier)?.identifier
    else { return found }
    return ready(listed)
  }

  /// The schemes that the user chose an application for, also under its desktop file ID.
  private func chosenSchemes(of identifier: BundleIdentifier) -> [URLScheme] {
    let entry = DesktopTwinRule.entry(of: identifier)
    return Array(userBindings.schemes(of: identifier)) + (entry.map(userBindings.schemes) ?? [])
  }

  private func isChosen(
    _ record: ApplicationRecord, _ identifier: BundleIdentifier, for scheme: URLScheme
  ) -> Bool {
    guard let chosen = userBindings[scheme] else { return false }
    return chosen == identifier
      || record.hasDesktopEntry && chosen == DesktopTwinRule.entry(of: identifier)
        && inUse[like: ApplicationRecord(probe: "", chosen)] == nil
  }

  /// The standing of an application among the handlers of a scheme; nil when it is not a handler.
  func standing(of record: ApplicationRecord, for scheme: URLScheme) -> HandlerStanding? {
    var reader = HandlingFieldsReader()
    return standing(of: record, for: scheme, &reader)
  }

  private func standing(
    of record: ApplicationRecord, for scheme: URLScheme, _ reader: inout HandlingFieldsReader
  ) -> HandlerStanding? {
    guard let fields = reader.fields(of: record, for: scheme) else { return nil }
    return HandlerStanding(
      of: fields, isChosen: isChosen(record, fields.identifier, for: scheme),
      isEntitled: reader.application(of: record)?.declaration.isEntitled(to: scheme) == true,
      policy: policy)
  }
}
