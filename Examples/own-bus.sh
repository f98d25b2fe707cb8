# Sourced by the quickstarts: a message bus, folders and a daemon of their own. Needs packages.sh.

# on_own_bus SCRIPT [ARGUMENT...]: builds everything, then runs SCRIPT --inside ARGUMENT... in folders
# and on a bus of its own. Nothing is left behind but the build.
on_own_bus() {
  local script=$1
  shift
  echo "Building (the first time takes a few minutes)"
  systemd/build-release --quiet 2>&1 | { grep -v "mktemp. is dangerous" || true; }
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  export HOME="$folder" XDG_DATA_HOME="$folder/data" XDG_CONFIG_HOME="$folder/config" \
    XDG_STATE_HOME="$folder/state" XDG_CACHE_HOME="$folder/cache" \
    XDG_DATA_DIRS="$folder/system${SYSTEM_FOLDERS:+:$SYSTEM_FOLDERS}" XDG_RUNTIME_DIR="$folder"
  BUILT_PRODUCTS_DIR=$(cd "$(dirname "$(readlink -f .build/release/lsopen)")" && pwd)
  export BUILT_PRODUCTS_DIR PATH="$BUILT_PRODUCTS_DIR:$PATH"
  # The bus says that it may not have more descriptors, which nobody needs here.
  dbus-run-session -- "$script" --inside "$@" 3>&2 2> >(grep -v "Failed to set fd limit" >&3)
}

# start_daemon: until the script ends.
start_daemon() {
  # What the programs say goes where it went before the bus was started.
  exec 2>&3 3>&-
  launchservicesd --log-level warning &
  daemon=$!
  trap 'kill "$daemon" 2>/dev/null; wait' EXIT
  gdbus wait --session --timeout 10 org.launchservices.LaunchServices1
}

# register_examples NAME...
register_examples() {
  local name
  local lists=()
  for name in "$@"; do lists+=("Examples/$name/$name.plist"); done
  run lsregister add --define "BUILT_PRODUCTS_DIR=$BUILT_PRODUCTS_DIR" \
    --define "EXAMPLES_DIR=$PWD/Examples" "${lists[@]}"
}

step() { printf '\n\033[1m%s\033[0m\n' "$1"; }

# run COMMAND...: shows it, its output and its status.
run() {
  printf '$ %s\n' "$*"
  local status=0
  "$@" || status=$?
  [ "$status" = 0 ] || printf '(exit status %s)\n' "$status"
}
