# Sourced by install and uninstall: their common options, and the list of what is installed.

source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix="${HOME:-}/.local"
destdir=""
# How many arguments the last option took.
used=1
# Below the prefix; one path a line, each below the prefix, too.
list_name=share/launch-services/installed-files

fail() {
  echo "$(basename "$0"): $1" >&2
  exit "${2:-4}"
}

# take_value OPTION[=VALUE] [VALUE]: sets `value` and `used`.
take_value() {
  case "$1" in
    *=*) value=${1#*=} ;;
    *)
      [ $# -ge 2 ] || fail "option '$1' needs a value; try '$0 --help'" 64
      value=$2
      used=2
      ;;
  esac
  [ -n "$value" ] || fail "option '${1%%=*}' needs a value; try '$0 --help'" 64
}

# common_option ARGUMENT...: the first of them.
common_option() {
  case "$1" in
    -h | --help)
      usage
      exit 0
      ;;
    --prefix | --prefix=*)
      take_value "$@"
      prefix=$value
      ;;
    --destdir | --destdir=*)
      take_value "$@"
      destdir=$(realpath -m -- "$value")
      ;;
    *) fail "'$1' is not known; try '$0 --help'" 64 ;;
  esac
}

# Sets `root`, where the prefix is written to, `list`, `units` and `zsh_functions`.
check_prefix() {
  prefix=$(realpath -ms -- "$prefix")
  # The service file quotes it; these would end the quotes or mean something inside of them.
  case "$prefix" in
    *[\"\\\$\`]* | *[[:cntrl:]]*) fail "the prefix must not hold quotes, \\, \$ or control characters" ;;
  esac
  [ "$prefix" != / ] || fail "the prefix must not be /"
  root=$destdir$prefix
  # Where systemd looks for units of users: in lib below these two, in share below a data folder.
  # zsh looks in vendor-completions of Debian's packages only.
  units=share/systemd/user
  zsh_functions=share/zsh/site-functions
  case "$prefix" in
    /usr) units=lib/systemd/user zsh_functions=share/zsh/vendor-completions ;;
    /usr/local) units=lib/systemd/user ;;
  esac
  list=$root/$list_name
}

# Reads paths below the prefix; removes the files, and the folders (with / at the end) that are empty then.
take_away() {
  local line folders=()
  while IFS= read -r line; do
    case "/${line%/}/" in
      *//* | */./* | */../*) fail "$list names '$line', which is not a path below the prefix" ;;
    esac
    case "$line" in
      */) folders=("$line" "${folders[@]}") ;;
      *) rm -f -- "$root/$line" ;;
    esac
  done
  # Sorted, so that what lies in a folder came after it.
  for line in "${folders[@]}"; do rmdir -- "$root/$line" 2>/dev/null || true; done
}

# A session bus that runs does not watch a folder that was made after its start.
reload_bus() {
  [ -z "$destdir" ] && [ -n "${DBUS_SESSION_BUS_ADDRESS:-}" ] || return 0
  command -v dbus-send >/dev/null || return 0
  dbus-send --session --type=method_call --print-reply --reply-timeout=5000 \
    --dest=org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.ReloadConfig \
    >/dev/null 2>&1 || true
}

# A service manager of this user runs. One that runs as another user is not ours to tell.
has_manager() {
  [ -z "$destdir" ] && [ -S "${XDG_RUNTIME_DIR:-/nonexistent}/systemd/private" ] && command -v systemctl >/dev/null
}

# Ends the daemons that were installed here, and removes what they wrote for desktops: for all users when the
# installation is for all users, else for the caller.
run_before_removal() {
  local whom=(--self)
  [ -z "$destdir" ] || return 0
  case "$prefix" in
    /usr | /usr/local) whom=() ;;
  esac
  "$source_folder/systemd/before-removal" --prefix "$prefix" "${whom[@]}" ||
    echo "$(basename "$0"): desktop entries of Launch Services may still be there" >&2
}

# A service manager that runs reads its units again.
reload_systemd() {
  has_manager || return 0
  timeout 10 systemctl --user daemon-reload >/dev/null 2>&1 || true
}
