# Sourced by the quickstarts: starts a private message bus and daemon with private folders. Needs packages.sh.

# on_own_bus SCRIPT [ARGUMENT...]: builds everything, then runs SCRIPT --inside ARGUMENT... with private
# folders on a private bus. Only the build remains.
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
  # Hides the bus's warning about its limit of descriptors, which suffices here.
  dbus-run-session -- "$script" --inside "$@" 3>&2 2> >(grep -v "Failed to set fd limit" >&3)
}

# start_daemon: starts the daemon, which runs until the script ends.
start_daemon() {
  # Restores the standard error from before the start of the bus.
  exec 2>&3 3>&-
  launchservicesd --log-level warning &
  daemon=$!
  trap 'kill "$daemon" 2>/dev/null; wait' EXIT
  gdbus wait --session --timeout 10 org.launchservices.LaunchServices1
}

# register_examples NAME...: registers the examples.
register_examples() {
  local name
  local lists=()
  for name in "$@"; do lists+=("Examples/$name/$name.plist"); done
  run lsregister add --define "BUILT_PRODUCTS_DIR=$BUILT_PRODUCTS_DIR" \
    --define "EXAMPLES_DIR=$PWD/Examples" "${lists[@]}"
}

step() { printf '\n\033[1m%s\033[0m\n' "$1"; }

# run COMMAND...: shows the command, its output and its exit status.
run() {
  printf '$ %s\n' "$*"
  local status=0
  "$@" || status=$?
  [ "$status" = 0 ] || printf '(exit status %s)\n' "$status"
}
