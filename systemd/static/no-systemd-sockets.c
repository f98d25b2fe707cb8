/* What libdbus-1 asks of libsystemd when it listens at an address "systemd:", which no program here does. With this
 * in its place a program that has libdbus-1 built in does not load libsystemd and the libraries that it needs. */

#include <errno.h>

int sd_listen_fds(int unset_environment);
int sd_is_socket(int fd, int family, int type, int listening);

/* No sockets were passed to this process. */
int sd_listen_fds(int unset_environment) {
  (void)unset_environment;
  return 0;
}

int sd_is_socket(int fd, int family, int type, int listening) {
  (void)fd;
  (void)family;
  (void)type;
  (void)listening;
  return -EBADF;
}
