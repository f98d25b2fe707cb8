#pragma once
#include <gio/gdesktopappinfo.h>
#include <gio/gio.h>
#include <signal.h>
#include <unistd.h>

// Between fork and exec of a program of the desktop: a session of its own, so that it is not stopped
// or ended with the process that starts it, and signals as good as new.
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

// Starts the program of an entry for one URI. The caller must reap the process.
static inline gboolean cgio_launch(GDesktopAppInfo *application, const char *uri,
                                   GAppLaunchContext *context, GPid *pid, GError **error) {
  GList uris = {(gpointer)uri, NULL, NULL};
  return g_desktop_app_info_launch_uris_as_manager(
      application, &uris, context, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
      cgio_begin_alone, NULL, cgio_note_pid, pid, error);
}
