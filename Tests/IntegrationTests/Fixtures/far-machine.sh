# Becomes a machine of its own: mounts, processes, host name, and with a second argument a network. Runs Debian's sshd
# for the users of FOLDER/etc/passwd. Run by: unshare --mount --pid --fork --kill-child --mount-proc --uts [--net]
#   bash far-machine.sh FOLDER [ADDRESS/PREFIX]
set -eu
folder=$1
mount --make-rprivate /
for file in passwd shadow group; do mount --bind "$folder/etc/$file" "/etc/$file"; done
mount -t tmpfs -o mode=755 none /run
mkdir /run/sshd
hostname far
if [ $# -gt 1 ]; then
  ip link set lo up
  # The test puts the link into this network, and begins to wait for sshd's line.
  until ip link show eth0 >/dev/null 2>&1; do sleep 0.02; done
  ip address add "$2" dev eth0
  ip link set eth0 up
fi
exec /usr/sbin/sshd -D -e -f "$folder/sshd_config"
