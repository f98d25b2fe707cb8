internal import BusContract
internal import DBus
internal import Glibc
internal import Host
internal import LaunchRules

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
      if options.universalLinksOnly { throw LinkRule.noLink(.file).busError }
      let acting = try self.acting(caller, as: options.actAs)
      return (acting, try self.designated(options, acting, caller))
    }
    let opener = Opener(
      caller: caller, acting: acting, designated: designated, options: options, isSingle: isSingle)
    inTurn(call) { [self] in
      let documents = await look(at: texts, asksForMIMETypes: designated == nil)
      guard !isStopping else { return }
      open(documents, texts, opener, DocumentsReply(call, isSingle: isSingle), call)
    }
  }

  private struct Opener {
    let caller: Caller
    let acting: ActingCaller
    let designated: BundleIdentifier?
    var options: OpenOptions
    let isSingle: Bool
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
  private enum Part {
    case delivery(InstalledApplication, [DocumentURL])
    case failure(BusError, of: String)

    var documents: [String] {
      switch self {
      case .delivery(_, let urls): urls.map(\.text)
      case .failure(_, let text): [text]
      }
    }

    /// One that claims the scheme `file` gets each document alone (R5.27).
    mutating func take(_ url: DocumentURL, for application: InstalledApplication) -> Bool {
      guard case .delivery(application, let urls) = self,
        !application.declaration.claimsFileScheme
      else { return false }
      self = .delivery(application, urls + [url])
      return true
    }
  }

  private func open(
    _ documents: [Result<NamedDocument, OpenFailure>], _ texts: [String], _ opener: Opener,
    _ reply: DocumentsReply, _ call: PendingCall
  ) {
    var parts: [Part] = []
    for (document, text) in zip(documents, texts) {
      do throws(BusError) {
        let (application, url) = try recordingRefusal(of: subject(text), opener.caller, call) {
          () throws(BusError) in try choose(document, opener, call)
        }
        let isTaken = parts.indices.contains { parts[$0].take(url, for: application) }
        if !isTaken { parts.append(.delivery(application, [url])) }
      } catch {
        parts.append(.failure(error, of: text))
      }
    }
    let waiters = parts.map { reply.add($0.documents) }
    var opener = opener
    for (part, waiter) in zip(parts, waiters) {
      do throws(BusError) {
        switch part {
        case .failure(let error, _): throw error
        case .delivery(let application, let urls):
          try submit(urls, to: application, opener, waiter)
          // It is good for one of them.
          opener.options.activationToken = nil
        }
      } catch {
        waiter.fail(error)
      }
    }
  }

  private func choose(
    _ document: Result<NamedDocument, OpenFailure>, _ opener: Opener, _ call: PendingCall
  ) throws(BusError) -> (InstalledApplication, DocumentURL) {
    do throws(OpenFailure) {
      let document = try document.get()
      let application = try dispatcher.choose(document.subject, designated: opener.designated)
      try forbidCircle(document.url.text, .file, to: application, from: call.sender)
      return (application, document.url)
    } catch {
      throw error.busError
    }
  }

  private func submit(
    _ urls: [DocumentURL], to application: InstalledApplication, _ opener: Opener,
    _ waiter: Waiter
  ) throws(BusError) {
    let declaration = application.declaration
    let texts = urls.map(\.text)
    var options = opener.options
    if let id = options.requestID, !opener.isSingle {
      // Each part is a request of its own, and the same one when the call is repeated.
      options.requestID =
        "\(id)#\(application.identifier)"
        + (declaration.claimsFileScheme ? "#" + texts.joined() : "")
    }
    let more = texts.count > 1 ? " and \(texts.count - 1) more" : ""
    let list = DocumentList(urls: urls, areUsedInPlace: declaration.usesDocumentsInPlace)
    let asked = Asked(
      payload: .documents(list), scheme: .file, subject: subject(texts[0]) + more,
      fingerprint: RequestFingerprint(
        .url, texts.joined(separator: "\n"), designated: opener.designated,
        newInstance: options.newInstance),
      options: options, caller: opener.caller, acting: opener.acting, waiter: waiter)
    try submit(asked) { () throws(OpenFailure) in application }
  }
}

/// Why documents cannot be handed over as open files.
struct NotOpened: Error {
  let why: String
}

extension Daemon {
  /// Descriptors that libdbus takes with one message, unless a program asks for more.
  private static let mostFiles = 16

  /// Opens the documents for an application that wants them so; else `body` is called at once, with none.
  func openFiles(
    of open: PendingOpen, for instance: Instances.Instance,
    _ body: @escaping (Result<[OwnedDescriptor], NotOpened>) -> Void
  ) {
    guard instance.wantsDescriptors, case .documents(let list) = open.payload else {
      return body(.success([]))
    }
    guard list.urls.count <= Self.mostFiles else {
      return body(
        .failure(
          NotOpened(why: "it takes open files, and one message holds at most \(Self.mostFiles)")))
    }
    Task {
      let files = await self.files.open(list.urls.map(\.path))
      var opened: [OwnedDescriptor] = []
      for (file, url) in zip(files, list.urls) {
        switch file {
        case .success(let file):
          opened.append(OwnedDescriptor(adopting: dup(file.number)))
        case .failure(let errno):
          return body(
            .failure(NotOpened(why: "\(url.visiblePath) cannot be opened for it: \(errno)")))
        }
      }
      body(.success(opened))
    }
  }
}
