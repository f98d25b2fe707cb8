internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules
internal import Records

/// Accepts opens of documents. The documents of one application become one request and are delivered together
/// (R5.28).
final class DocumentOpenService {
  private let store: RegistryStore
  private let documents: DocumentResolver
  private let decider: OpenDecider
  private let opens: PendingOpens
  private let requests: RequestStore
  private let history: RequestHistory
  private let service: OpenService
  private let coordinator: OpenCoordinator

  init(
    store: RegistryStore, documents: DocumentResolver, decider: OpenDecider,
    opens: PendingOpens, requests: RequestStore, history: RequestHistory,
    service: OpenService, coordinator: OpenCoordinator
  ) {
    self.store = store
    self.documents = documents
    self.decider = decider
    self.opens = opens
    self.requests = requests
    self.history = history
    self.service = service
    self.coordinator = coordinator
  }

  /// - Parameter isSingle: true for `OpenURL`, which returns one receipt.
  func open(
    _ texts: [String], _ options: OpenOptions, _ caller: IdentifiedCaller, _ call: PendingCall,
    isSingle: Bool = false
  ) throws(BusError) -> Reply {
    guard let first = texts.first else { throw .invalidArguments("urls: there is none") }
    let conditions = try history.recordingRefusal(of: history.subject(first), caller) {
      () throws(BusError) in try OpenConditions(options, caller)
    }
    let batch = DocumentBatch(
      texts: texts, conditions: conditions, options: options, isSingle: isSingle)
    return .pendingAfter { [self] () async throws(BusError) in
      // Documents that an earlier call has opened may have been removed since.
      let known = Set(
        try knownParts(of: batch, try await recordedParts(of: batch)).flatMap(\.places))
      let places = texts.indices.filter { !known.contains($0) }
      let found = await documents.look(
        at: places.map { texts[$0] }, for: caller.share,
        asksForMIMETypes: conditions.designated == nil)
      guard !coordinator.isStopped else { return }
      // Another call may have requested them during the file lookup.
      let parts = try knownParts(of: batch, try await recordedParts(of: batch))
      guard !coordinator.isStopped else { return }
      open(
        batch, Dictionary(uniqueKeysWithValues: zip(places, found)), knowing: parts,
        DocumentsReply(
          call, isSingle: isSingle,
          store.registry.sandboxed(caller.caller)))
    }
  }

  // MARK: Previously requested parts

  /// The previously accepted parts of a call with this `request-id`, without overlapping documents. Parts
  /// that a previous daemon certainly did not deliver are excluded.
  private func knownParts(
    of batch: DocumentBatch, _ recorded: RequestPartsFound
  ) throws(BusError) -> [DocumentPart] {
    guard let name = try batch.requestName(in: store.registry) else { return [] }
    let forms = RequestForms(requests, opens)
    if batch.isSingle { try forms.checkNoPart(of: name) } else { try forms.checkNoRequest(name) }
    let underWay =
      batch.isSingle
      ? [opens.find(name).flatMap { opens[$0]?.entry }].compactMap(\.self) : opens.parts(of: name)
    let written: [RequestEntry]
    switch recorded {
    case .entries(let entries): written = entries
    case .unknown where !underWay.isEmpty: written = []
    case .unknown(let why): throw RepeatedRequest.lost(why).busError
    }
    var parts: [DocumentPart] = []
    var taken: Set<Int> = []
    for entry in underWay + written {
      guard let part = entry.name else { continue }
      let places =
        batch.isSingle ? (part == name ? [0] : nil) : PartName.places(in: part.id, of: name.id)
      let isUnderWay = opens.find(part) != nil
      guard let places else { continue }
      // Other calls may have the same fingerprint: URLs may contain line breaks, and a `request-id` may contain a `#`.
      guard entry.fingerprint == batch.fingerprint.value,
        places.allSatisfy(batch.texts.indices.contains)
      else {
        throw .invalidArguments(RepeatedRequest.otherRequest)
      }
      guard taken.isDisjoint(with: places), isUnderWay || entry.progress != .accepted
      else { continue }
      taken.formUnion(places)
      parts.append(DocumentPart(fate: .known(entry), places: places))
    }
    return parts
  }

  /// The recorded parts of a call with this `request-id`, besides the pending ones.
  private func recordedParts(
    of batch: DocumentBatch
  ) async throws(BusError) -> RequestPartsFound {
    guard let name = try batch.requestName(in: store.registry) else { return .entries([]) }
    let isRepeated = batch.options.isRepeated
    let forms = RequestForms(requests, opens)
    guard batch.isSingle else {
      try await forms.checkNoRecordedRequest(name, isRepeated: isRepeated)
      return requests.isNewCall(name, isRepeated: isRepeated)
        ? .entries([]) : await requests.findParts(of: name, isRepeated: isRepeated)
    }
    if requests.isNew(name, isRepeated: isRepeated),
      !forms.mayHaveParts(name, isRepeated: isRepeated)
    {
      return .entries([])
    }
    switch await requests.find(name, isRepeated: isRepeated) {
    case .never:
      try await forms.checkNoRecordedPart(of: name, isRepeated: isRepeated)
      return .entries([])
    case .entry(let entry): return .entries([entry])
    case .unknown(let why): return .unknown(why)
    }
  }

  // MARK: Acceptance

  private func open(
    _ batch: DocumentBatch, _ documents: [Int: Result<ResolvedDocument, OpenFailure>],
    knowing known: [DocumentPart], _ reply: DocumentsReply
  ) {
    let parts = parts(of: batch, documents, knowing: known)
    let replies = parts.map { part in reply.add(part.places.map { batch.texts[$0] }) }
    var batch = batch
    for (part, reply) in zip(parts, replies) {
      do throws(BusError) {
        try submit(part, of: batch, reply)
        // An activation token can be used for one part only.
        if case .delivery = part.fate { batch.options.activationToken = nil }
      } catch {
        reply.fail(error)
      }
    }
  }

  /// The documents of the call, grouped by application, in the order of the call.
  private func parts(
    of batch: DocumentBatch, _ documents: [Int: Result<ResolvedDocument, OpenFailure>],
    knowing known: [DocumentPart]
  ) -> [DocumentPart] {
    var parts = known
    let taken = Set(known.flatMap(\.places))
    for (place, text) in batch.texts.enumerated() where !taken.contains(place) {
      let document =
        documents[place]
        ?? .failure(.deliveryUnknown("the result of the first call is no longer known"))
      do throws(BusError) {
        var chosen: InstalledApplication?
        let (decision, application) = try history.recordingRefusal(
          of: history.subject(text), batch.caller, chosen: chosen
        ) { () throws(BusError) in try decide(document, batch, &chosen) }
        if let part = parts.firstIndex(where: { $0.takesMore(for: application) }) {
          parts[part].places.append(place)
        } else {
          parts.append(DocumentPart(fate: .delivery(decision, application), places: [place]))
        }
      } catch {
        parts.append(DocumentPart(fate: .failure(error), places: [place]))
      }
    }
    return parts.sorted { $0.places[0] < $1.places[0] }
  }

  private func decide(
    _ document: Result<ResolvedDocument, OpenFailure>, _ batch: DocumentBatch,
    _ chosen: inout InstalledApplication?
  ) throws(BusError) -> (OpenRule.Decision, InstalledApplication) {
    let document = try document.orBusError()
    let decision = decider.decide(
      batch.conditions.question(.document(document.subject)), document.url.text, of: batch.caller,
      isCounted: true)
    chosen = decision.application
    return (decision, try decision.application())
  }

  private func submit(
    _ part: DocumentPart, of batch: DocumentBatch, _ reply: PendingReply
  ) throws(BusError) {
    var options = batch.options
    var application: InstalledApplication?
    var decision: OpenRule.Decision?
    var found = RequestFound.never
    switch part.fate {
    case .failure(let error): throw error
    case .delivery(let decided, let chosen):
      (decision, application) = (decided, chosen)
      if let id = options.requestID, !batch.isSingle {
        options.requestID = PartName.text(part.places, of: id)
      }
    case .known(let entry):
      application = BundleIdentifier(entry.handler).flatMap(store.registry.application)
      options.requestID = entry.name?.id
      found = .entry(entry)
    }
    let texts = part.places.map { batch.texts[$0] }
    let urls = try withBusErrors { () throws(OpenFailure) in
      try texts.map { text throws(OpenFailure) in try DocumentURL(text) }
    }
    let more = texts.count > 1 ? " and \(texts.count - 1) more" : ""
    let list = DocumentList(
      urls: urls, areUsedInPlace: application?.declaration.usesDocumentsInPlace ?? false)
    let submission = OpenSubmission(
      caller: batch.caller, question: batch.conditions.question(.url(.file, host: nil, link: nil)),
      payload: .documents(list), subject: history.subject(texts[0]) + more,
      name: try batch.caller.requestName(options.requestID, in: store.registry),
      fingerprint: batch.fingerprint, options: options, reply: reply)
    try service.submit(submission, found) {
      decision
        ?? .failed(
          .applicationNotFound("the application chosen for the document is no longer registered"))
    }
  }
}
