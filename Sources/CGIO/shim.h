#pragma once
#include <gio-unix-2.0/gio/gdesktopappinfo.h>
#include <gio/gio.h>
#include <signal.h>
#include <unistd.h>

// Called between fork and exec of a desktop program: starts a new session, so that signals to the parent's
// terminal or group do not reach the program, and resets signal handlers and the signal mask.
static inline void cgio_begin_alone(gpointer unused) {
  (void)unused;
  setsid();
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static inline void cgio_note_pid(GDesktopAppInfo *application, GPid pid, gpointer place) {
  (void)application;
  *(GPid *)place = pid;
}

// Starts the program of an entry with the URIs. The caller must reap the process.
static inline gboolean cgio_launch(GDesktopAppInfo *application, GList *uris,
                                   GAppLaunchContext *context, GPid *pid, GError **error) {
  return g_desktop_app_info_launch_uris_as_manager(
      application, uris, context, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
      cgio_begin_alone, NULL, cgio_note_pid, pid, error);
}
