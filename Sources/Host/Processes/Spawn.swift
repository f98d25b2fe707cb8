internal import CHost
internal import Glibc

/// Starts a process and returns its PID. The caller must reap it.
///
/// The process leads a process group and has only the descriptors 0, 1 and 2. Its signal mask is empty and all
/// signals have their default action, whatever the calling thread: Swift's worker threads block almost every
/// signal, and a process that inherited their mask could not be stopped with SIGTERM.
package func spawn(_ launch: Launch) throws(SpawnError) -> Int32 {
  try launch.check()
  let files = try SpawnFiles.open(for: launch)

  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var none = sigset_t()
  var all = sigset_t()
  unsafe sigemptyset(&none)
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  unsafe posix_spawnattr_setflags(
    &attributes,
    Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
      | (launch.staysInSession ? Int16(POSIX_SPAWN_SETPGROUP) : newSession))

  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  for (from, to) in files.redirections {
    unsafe posix_spawn_file_actions_adddup2(&actions, from, to)
  }
  if let folder = files.folder { unsafe chost_spawn_change_folder(&actions, folder) }
  unsafe chost_spawn_close_from(&actions, 3)

  let variables = launch.environment.map { "\($0.key)=\($0.value)" }.sorted()
  var argv = unsafe ([launch.executable] + launch.arguments).map { unsafe strdup($0) } + [nil]
  var envp = unsafe variables.map { unsafe strdup($0) } + [nil]
  defer {
    let strings = unsafe argv + envp
    for index in unsafe strings.indices { unsafe free(strings[index]) }
  }
  var pid: pid_t = 0
  let code = DescriptorLimit.asBefore {
    unsafe posix_spawn(&pid, launch.executable, &actions, &attributes, &argv, &envp)
  }
  guard code == 0 else { throw .cannotRun(executable: launch.executable, Errno(code)) }
  return pid
}

/// `POSIX_SPAWN_SETSID`, which the C importer does not import. In its parent's session, a stopped process would
/// get SIGHUP when the parent ends.
private let newSession: Int16 = 0x80
