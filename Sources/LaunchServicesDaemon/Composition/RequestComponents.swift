internal import DBusMainLoop
internal import DaemonSettings
internal import Host
internal import Records

/// The components that own pending and past opens.
struct RequestComponents {
  let store: RequestStore
  /// The state that the previous daemon recorded.
  let before: RecordedBefore
  let opens: PendingOpens
  let history: RequestHistory
  let fates: FateReporter
  let watch: RecordWatch

  init(_ session: BusSession, _ configuration: DaemonConfiguration, _ journal: Journal) {
    let settings = configuration.settings.record
    let path = configuration.stateFolder + "/requests.sqlite"
    let watch = RecordWatch(path)
    let store = RequestStore(
      path: path, limit: settings.limit, age: settings.age,
      sessionFolder: UserFolders(environment: configuration.environment).runtimeDir,
      clock: RecordClock(
        now: { RequestClock.now }, sinceBoot: { Time.microsecondsSinceBoot() },
        boot: ProcessDetails.boot),
      remark: { remark in
        remark.log(journal)
        watch.begin()
        if case .madeAgain = remark { watch.onRecovery() }
      })
    before = store.start(reserving: PendingOpens.reservedAtOnce)
    watch.begin()
    self.store = store
    self.watch = watch
    opens = PendingOpens(before.reserved, reserve: store.reserve)
    let history = RequestHistory(session, store, opens, settings, journal)
    self.history = history
    fates = FateReporter(
      opens, history,
      ReceivingProcesses(path: configuration.stateFolder + "/receiving-processes.plist"), journal)
  }

  /// Stops using the record, because another process uses the state folder.
  func leave(_ reason: String) {
    watch.end()
    store.leave(reason)
  }

  /// Writes the remaining records and closes the store.
  func close() {
    watch.end()
    store.close()
  }
}
