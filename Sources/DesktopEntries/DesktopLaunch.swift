internal import CGIO

extension DesktopApplication {
  /// Starts the program of `Exec` with the URIs, which are passed unchanged: one process for all of them.
  ///
  /// The process leads a new session. The caller must reap it.
  /// - Parameters:
  ///   - uris: more than one only if `takesSeveral`; empty to start the program alone.
  ///   - token: the activation token of this launch.
  ///   - variables: environment variables to set; nil removes a variable.
  ///   - hidden: environment variables of this process to remove.
  /// - Returns: the process identifier. GIO starts some programs with a helper, which executes the program or
  ///   exits with a nonzero status.
  package func start(
    _ uris: [String], token: String?, setting variables: [String: String?] = [:],
    hiding hidden: [String]
  ) throws(DesktopFailure) -> Int32 {
    let target = try activationName == nil ? self : withoutActivation()
    guard let context = unsafe g_app_launch_context_new() else {
      throw DesktopFailure("GIO has no memory for a launch")
    }
    defer { unsafe g_object_unref(context) }
    for name in hidden { unsafe g_app_launch_context_unsetenv(context, name) }
    var variables = variables
    for name in ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"] {
      variables.updateValue(token, forKey: name)
    }
    for (name, value) in variables {
      if let value {
        unsafe g_app_launch_context_setenv(context, name, value)
      } else {
        unsafe g_app_launch_context_unsetenv(context, name)
      }
    }
    var pid: GPid = 0
    let raw = unsafe target.raw
    var list: UnsafeMutablePointer<GList>?
    for uri in uris { unsafe list = unsafe g_list_append(list, g_strdup(uri)) }
    defer { unsafe g_list_free_full(list, g_free) }
    _ = try unsafe catching { error in
      unsafe cgio_launch(raw, list, context, &pid, error) != 0 ? true : nil
    }
    return pid
  }

  /// The same entry without bus activation, so that GIO uses `Exec`.
  private func withoutActivation() throws(DesktopFailure) -> DesktopApplication {
    let file = file ?? ""
    let keys = try KeyFile(path: file)
    keys.remove("DBusActivatable", in: DesktopEntry.group)
    guard let raw = unsafe keys.withRaw({ unsafe g_desktop_app_info_new_from_keyfile($0) }) else {
      throw DesktopFailure("\(file): its Exec cannot be used")
    }
    return unsafe DesktopApplication(adopting: raw)
  }
}
