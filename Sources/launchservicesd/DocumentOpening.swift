internal import BusContract
internal import DBus
internal import Glibc
internal import Host
internal import LaunchRules
internal import Records

// Opens of documents. Those of one application are one request from here on, delivered at once (R5.28).

/// Documents that are handed over together.
struct DocumentList {
  let urls: [DocumentURL]
  /// They may be used where they are (R5.24).
  let areUsedInPlace: Bool
}

extension Daemon {
  /// - Parameter isSingle: the call is `OpenURL`, and wants one receipt.
  func openDocuments(
    _ texts: [String], _ options: OpenOptions, _ caller: Caller, _ call: PendingCall,
    isSingle: Bool = false
  ) throws(BusError) {
    guard let first = texts.first else { throw .invalidArguments("urls: there is none") }
    let (acting, designated) = try recordingRefusal(of: subject(first), caller, call) {
      () throws(BusError) -> (ActingCaller, BundleIdentifier?) in
      try forbidOtherRoot(call.sender)
      let acting = try self.acting(caller, as: options.actAs)
      return (acting, try self.designated(options, acting))
    }
    let opener = Opener(
      caller: caller, acting: acting, designated: designated, options: options, isSingle: isSingle,
      finding: finding(call.sender))
    server.inTurn(call) { [self] in
      do throws(BusError) {
        // What an earlier call has opened may have gone since.
        let recorded = await recordedParts(opener, call)
        let known = Set(try knownParts(of: texts, opener, recorded, call).flatMap(\.places))
        let places = texts.indices.filter { !known.contains($0) }
        let found = await look(
          at: places.map { texts[$0] }, for: call.sender, asksForMIMETypes: designated == nil)
        guard !isStopping else { return }
        let documents = Dictionary(uniqueKeysWithValues: zip(places, found))
        // Another call may have asked for them while the files were looked at.
        let parts = try knownParts(of: texts, opener, await recordedParts(opener, call), call)
        guard !isStopping else { return }
        try open(
          documents, texts, opener, knowing: parts, DocumentsReply(call, isSingle: isSingle), call)
      } catch {
        server.refuse(call, error)
      }
    }
  }

  private struct Opener {
    let caller: Caller
    let acting: ActingCaller
    let designated: BundleIdentifier?
    var options: OpenOptions
    let isSingle: Bool
    let finding: WebOrigin.Finding

    func question(_ subject: OpenRule.Subject) -> OpenRule.Question {
      OpenRule.Question(
        subject, caller: caller, acting: acting, designated: designated,
        universalLinksOnly: options.universalLinksOnly, finding: finding, isLink: options.isLink)
    }
  }

  /// A path in a sandbox is another file out here.
  func forbidOtherRoot(_ sender: String) throws(BusError) {
    guard callers.facts(of: sender)?.flatpak == nil else {
      throw OpenFailure.notPermitted(
        "the caller is in a sandbox, which has files of its own; use org.freedesktop.portal.OpenURI"
      ).busError
    }
  }

  /// A part of the answer.
  private struct Part {
    enum Fate {
      case delivery(OpenRule.Decision, InstalledApplication)
      case failure(BusError)
      /// A call before this one has asked for it.
      case known(RequestEntry)
    }

    let fate: Fate
    /// Of its documents in the call.
    var places: [Int]

    /// One that claims the scheme `file` gets each document alone (R5.27).
    func takesMore(for other: InstalledApplication) -> Bool {
      guard case .delivery(_, let application) = fate else { return false }
      return application == other && !application.declaration.claimsFileScheme
    }
  }

  /// The parts of a call with this `request-id` that were accepted before, each with documents of its own. One of
  /// which a daemon before this one is known to have handed over nothing is none.
  private func knownParts(
    of texts: [String], _ opener: Opener, _ recorded: RequestPartsFound, _ call: PendingCall
  ) throws(BusError) -> [Part] {
    guard let name = requestName(opener.options, opener.caller, on: call.sender) else { return [] }
    let id = name.id
    let fingerprint = fingerprint(of: texts, opener)
    let underWay =
      opener.isSingle
      ? [opens.find(name).flatMap { opens[$0]?.entry }].compactMap(\.self) : opens.parts(of: name)
    let written: [RequestEntry]
    switch recorded {
    case .entries(let entries): written = entries
    case .unknown where !underWay.isEmpty: written = []
    case .unknown(let why): throw Self.lost(why)
    }
    var parts: [Part] = []
    var taken: Set<Int> = []
    for entry in underWay + written {
      guard let part = entry.name else { continue }
      let places =
        opener.isSingle
        ? (part == name ? [0] : nil) : PartName.places(in: part.id, of: id)
      let isUnderWay = opens.find(part) != nil
      guard let places else { continue }
      guard entry.fingerprint == fingerprint.value else {
        throw .invalidArguments(RepeatedRequest.otherRequest)
      }
      guard taken.isDisjoint(with: places), isUnderWay || entry.progress != .accepted
      else { continue }
      taken.formUnion(places)
      parts.append(Part(fate: .known(entry), places: places))
    }
    return parts
  }

  /// What is known of the parts of a call with this `request-id`, beside those that are under way.
  private func recordedParts(_ opener: Opener, _ call: PendingCall) async -> RequestPartsFound {
    guard let name = requestName(opener.options, opener.caller, on: call.sender) else {
      return .entries([])
    }
    let isRepeated = opener.options.isRepeated
    guard opener.isSingle else {
      return requests.isNewCall(name, isRepeated: isRepeated)
        ? .entries([]) : await requests.findParts(of: name, isRepeated: isRepeated)
    }
    if requests.isNew(name, isRepeated: isRepeated) { return .entries([]) }
    return switch await requests.find(name, isRepeated: isRepeated) {
    case .never: .entries([])
    case .entry(let entry): .entries([entry])
    case .unknown(let why): .unknown(why)
    }
  }

  /// Of the whole call: who opens what may be chosen anew before it is repeated.
  private func fingerprint(of texts: [String], _ opener: Opener) -> RequestFingerprint {
    RequestFingerprint(
      .url, texts.joined(separator: "\n"), designated: opener.designated,
      newInstance: opener.options.newInstance)
  }

  private func open(
    _ documents: [Int: Result<NamedDocument, OpenFailure>], _ texts: [String], _ opener: Opener,
    knowing parts: [Part], _ reply: DocumentsReply, _ call: PendingCall
  ) throws(BusError) {
    var parts = parts
    let known = Set(parts.flatMap(\.places))
    for (place, text) in texts.enumerated() where !known.contains(place) {
      let document =
        documents[place]
        ?? .failure(.deliveryUnknown("what became of the first call is not known any more"))
      do throws(BusError) {
        let (decision, application) = try recordingRefusal(of: subject(text), opener.caller, call) {
          () throws(BusError) in try decide(document, opener, call)
        }
        if let part = parts.firstIndex(where: { $0.takesMore(for: application) }) {
          parts[part].places.append(place)
        } else {
          parts.append(Part(fate: .delivery(decision, application), places: [place]))
        }
      } catch {
        parts.append(Part(fate: .failure(error), places: [place]))
      }
    }
    parts.sort { $0.places[0] < $1.places[0] }
    let waiters = parts.map { part in reply.add(part.places.map { texts[$0] }) }
    var opener = opener
    for (part, waiter) in zip(parts, waiters) {
      do throws(BusError) {
        try submit(part, of: texts, opener, waiter)
        // It is good for one of them.
        if case .delivery = part.fate { opener.options.activationToken = nil }
      } catch {
        waiter.fail(error)
      }
    }
  }

  private func decide(
    _ document: Result<NamedDocument, OpenFailure>, _ opener: Opener, _ call: PendingCall
  ) throws(BusError) -> (OpenRule.Decision, InstalledApplication) {
    let document = try document.orBusError()
    let decision = decide(
      opener.question(.document(document.subject)), document.url.text, from: call.sender,
      isCounted: true)
    return (decision, try decision.outcome.orBusError().application)
  }

  private func submit(
    _ part: Part, of all: [String], _ opener: Opener, _ waiter: Waiter
  ) throws(BusError) {
    var options = opener.options
    var application: InstalledApplication?
    var decision: OpenRule.Decision?
    var found = RequestFound.never
    switch part.fate {
    case .failure(let error): throw error
    case .delivery(let decided, let chosen):
      (decision, application) = (decided, chosen)
      if let id = options.requestID, !opener.isSingle {
        options.requestID = PartName.text(part.places, of: id)
      }
    case .known(let entry):
      application = BundleIdentifier(entry.handler).flatMap(registry.application)
      options.requestID = entry.name?.id
      found = .entry(entry)
    }
    let texts = part.places.map { all[$0] }
    let urls = try submitting { () throws(OpenFailure) in
      try texts.map { text throws(OpenFailure) in try DocumentURL(text) }
    }
    let more = texts.count > 1 ? " and \(texts.count - 1) more" : ""
    let list = DocumentList(
      urls: urls, areUsedInPlace: application?.declaration.usesDocumentsInPlace ?? false)
    let asked = Asked(
      question: opener.question(.url(.file, host: nil, link: nil)),
      payload: .documents(list), subject: subject(texts[0]) + more,
      name: requestName(options, opener.caller, on: waiter.sender),
      fingerprint: fingerprint(of: all, opener), options: options, waiter: waiter)
    try submit(asked, found) {
      decision
        ?? .failed(
          .applicationNotFound("the application that was to open it is not registered any more"))
    }
  }
}

/// Why documents cannot be handed over as open files.
struct NotOpened: Error {
  let why: String
}

extension Daemon {
  /// Descriptors that libdbus takes with one message, unless a program asks for more.
  private static let mostFiles = 16

  /// Opens the documents for an application that gets them as open files.
  func openFiles(
    of open: PendingOpen, _ body: @escaping (Result<[OwnedDescriptor], NotOpened>) -> Void
  ) {
    guard case .documents(let list) = open.payload else { return body(.success([])) }
    guard list.urls.count <= Self.mostFiles else {
      return body(
        .failure(
          NotOpened(why: "it takes open files, and one message holds at most \(Self.mostFiles)")))
    }
    Task { body(await descriptors(of: list, for: open.waiter.sender)) }
  }

  /// The files that are looked at are closed before this returns: a message takes as many descriptors again.
  private func descriptors(
    of list: DocumentList, for caller: String
  ) async -> Result<[OwnedDescriptor], NotOpened> {
    let files = await files.open(list.urls.map(\.path), for: caller)
    var opened: [OwnedDescriptor] = []
    for (file, url) in zip(files, list.urls) {
      do throws(Unopened) {
        opened.append(OwnedDescriptor(adopting: try file.get().copy()))
      } catch {
        return .failure(NotOpened(why: "\(url.visiblePath) cannot be opened for it: \(error)"))
      }
    }
    return .success(opened)
  }
}
