# Sourced by the scripts: installs missing Debian packages.

# need_packages SET...: build (to compile), run (to start a bus), test (further packages for tests), browser
# (for the tests with applications of Debian, which are otherwise skipped), python (for the tests of the Python package),
# package (to build Debian packages), try-package (to test them), try-unit (to test the user unit).
need_packages() {
  local set name
  local missing=()
  for set in "$@"; do
    for name in $(packages_of "$set"); do
      dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
      echo "please install as root: apt-get install ${missing[*]}" >&2
      exit 3
    }
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
  # An earlier build has recorded that the headers were missing.
  rm -f .build/*.yaml .build/*/*/description.json
}

packages_of() {
  case "$1" in
    build) echo libcurl4-openssl-dev libdbus-1-dev libglib2.0-dev libidn2-dev libjansson-dev libsqlite3-dev \
      libunistring-dev pkg-config ;;
    run) echo dbus libglib2.0-bin python3 python3-dbus python3-gi ;;
    test) echo dbus python3 python3-dbus python3-gi python3-jeepney libglib2.0-bin systemd libxml2-utils \
      desktop-file-utils libfaketime xdg-utils mandoc man-db groff-base openssl zsh fish bubblewrap \
      crun podman graphviz strace \
      openssh-client openssh-server iproute2 python3-google-auth-oauthlib socat ;;
    python) echo dbus python3 python3-dbus python3-gi python3-venv ;;
    package) echo binutils debhelper dpkg-dev ;;
    try-package) echo debootstrap lintian ;;
    try-unit) echo systemd dbus-user-session bubblewrap desktop-file-utils ;;
    browser) echo chromium chromium-driver epiphany-browser falkon firefox-esr iproute2 kdeconnect konversation \
      qbittorrent qutebrowser transmission-gtk xdg-desktop-portal xvfb xdg-utils ;;
  esac
}
