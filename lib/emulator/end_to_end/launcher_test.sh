#!/usr/bin/env bash
# The launcher as a person uses it, and the distribution's own programs on the emulated machine.
# Arguments: the launcher and the register_probe.
set -uo pipefail
emulate=$1
probe=$2
machine=p5.48xlarge
nic=rdmap79s0
failures=0
PATH=$PATH:/usr/sbin:/sbin

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect NAME WANTED ACTUAL
expect() {
  if [ "$2" = "$3" ]; then echo "ok: $1"; else fail "$1: wanted '$2', got '$3'"; fi
}

# expect_text NAME PATTERN TEXT
expect_text() {
  if grep -Eq -- "$2" <<<"$3"; then echo "ok: $1"; else fail "$1: no '$2' in: $3"; fi
}

status_of() { "$@" >/dev/null 2>&1; echo $?; }

expect "exit status is the command's" 7 "$(status_of "$emulate" $machine sh -c 'exit 7')"
expect "a signal kills the command as ever" 143 \
  "$(status_of sh -c "\"$emulate\" $machine sh -c 'kill -TERM \$\$'")"
expect "unknown command" 127 "$(status_of "$emulate" $machine /no/such/command)"
expect "no command" 2 "$(status_of "$emulate" $machine)"
expect "unknown flag" 2 "$(status_of "$emulate" --bogus=1 $machine true)"
expect "help" 0 "$(status_of "$emulate" --help)"
expect_text "help lists the instance types" "c5n.18xlarge.*p5.48xlarge" "$("$emulate" --help | tr '\n' ' ')"
unknown=$("$emulate" no.such.machine true 2>&1)
expect "unknown machine" 2 $?
expect "unknown machine is one line" 1 "$(wc -l <<<"$unknown")"
expect_text "unknown machine is named" "no.such.machine" "$unknown"

expect "the machine's type" "p5.48xlarge" \
  "$("$emulate" $machine cat /sys/devices/virtual/dmi/id/product_name)"
expect "a scaled machine's type" "p5.48xlarge/16" \
  "$("$emulate" $machine/16 cat /sys/devices/virtual/dmi/id/product_name)"
divisor=$("$emulate" $machine/0 true 2>&1)
expect "a bad divisor" 2 $?
expect "a bad divisor is one line" 1 "$(wc -l <<<"$divisor")"
expect_text "firmware says emulated" "^emulated-" \
  "$("$emulate" $machine cat /sys/class/infiniband/$nic/fw_ver)"
# The two ConnectX-7 are RDMA devices, and have no node that anything could open.
b200=p6-b200.48xlarge
expect "p6-b200: RDMA devices" 10 "$("$emulate" $b200 ls /sys/class/infiniband | wc -l)"
expect "p6-b200: nodes" 8 "$("$emulate" $b200 ls /sys/class/infiniband_verbs | grep -c uverbs)"
staging=$(mktemp -d)
TMPDIR=$staging timeout -s KILL 0.03 "$emulate" $machine true >/dev/null 2>&1
TMPDIR=$staging "$emulate" $machine true
expect "nothing is left of it" "" "$(ls -A "$staging")"
rmdir "$staging"
expect "arguments arrive as they are" "a b|c*" \
  "$("$emulate" $machine sh -c 'printf "%s|%s" "$1" "$2"' x 'a b' 'c*')"

# As a user without privileges.
expect "an unprivileged user" 1000 "$("$emulate" --user=1000 $machine id -u)"
expect "is allowed by default" "open ok first ok second ok after ok" \
  "$("$emulate" --user=1000 $machine "$probe" $nic 8192 | xargs)"
expect "has no permission on the node" "open EACCES" \
  "$("$emulate" --user=1000 --device-mode=0600 $machine "$probe" $nic 8192 | xargs)"
expect "root has" "open ok first ok second ok after ok" \
  "$("$emulate" --device-mode=0600 $machine "$probe" $nic 8192 | xargs)"
memlock=$(ulimit -l 64; "$emulate" --user=1000 $machine "$probe" $nic 49152 | xargs)
expect "RLIMIT_MEMLOCK counts what is registered now" "open ok first ok second ENOMEM after ok" \
  "$memlock"
memlock=$(ulimit -l 64; "$emulate" --user=1000 $machine "$probe" $nic 98304 | xargs)
expect "RLIMIT_MEMLOCK too small" "open ok first ENOMEM second ENOMEM after ENOMEM" "$memlock"

# User namespaces forbidden: the kernel forbids them in a chroot.
root=$(mktemp -d)
forbidden=$(unshare -Urm sh -c "mount --rbind / '$root' && exec chroot '$root' \
  '$(realpath "$emulate")' --scenarios='$(realpath "${RUNFILES_DIR:-$0.runfiles}/railgauge/scenarios")' \
  --user=1000 $machine true" 2>&1)
expect "user namespaces forbidden" 2 $?
expect_text "user namespaces forbidden says what to do" "EPERM.*run as root.*sysctl" "$forbidden"
rmdir "$root"

# A chroot whose / is no mount point.
chroot_folder=$(mktemp -d)
in_chroot=$(unshare -Urm sh -c '
  for entry in /*; do
    if [ -L "$entry" ]; then
      cp -P "$entry" "$1$entry"
    elif [ -d "$entry" ]; then
      mkdir "$1$entry" && mount --rbind "$entry" "$1$entry" || exit
    fi
  done
  exec chroot "$1" "$2" --scenarios="$3" "$4" cat /sys/devices/virtual/dmi/id/product_name' \
  sh "$chroot_folder" "$(realpath "$emulate")" \
  "$(realpath "${RUNFILES_DIR:-$0.runfiles}/railgauge/scenarios")" $machine 2>&1)
expect "a chroot whose / is no mount point" $machine "$in_chroot"
rm -rf --one-file-system "$chroot_folder"

# Programs of the distribution, with its shared libraries.
have() {
  command -v "$1" >/dev/null && return
  echo "skipped: $1 is not installed (apt-get install $2)"
  return 1
}
if have ibv_devices ibverbs-utils; then
  expect "ibv_devices" 32 "$("$emulate" $machine ibv_devices | grep -c rdmap)"
  info=$("$emulate" $machine ibv_devinfo -v)
  expect "ibv_devinfo -v" 0 $?
  expect "ibv_devinfo -v lists all" 32 "$(grep -c hca_id <<<"$info")"
  expect "ibv_devinfo -v: all are EFA" 32 "$(grep -c 'vendor_id:.*0x1d0f' <<<"$info")"
  expect "ibv_devinfo -v: all ports are up" 32 "$(grep -c PORT_ACTIVE <<<"$info")"
  expect "ibv_devinfo -v: GIDs" 32 "$(grep -c 'GID\[  0\]' <<<"$info")"
  expect_text "p4d" "hca_id" "$("$emulate" p4d.24xlarge ibv_devinfo -v)"
  # 6.25 Gb/s; the next lower rate that verbs can say is 1 lane of 5 Gb/s.
  scaled=$("$emulate" $machine/16 ibv_devinfo -v -d $nic)
  expect_text "a scaled port's width" "active_width:.*1X" "$scaled"
  expect_text "a scaled port's speed" "active_speed:.*5.0 Gbps" "$scaled"
fi
if have lstopo-no-graphics hwloc; then
  topology=$("$emulate" $machine lstopo-no-graphics --of console --no-caches)
  expect "lstopo: NUMA nodes" 2 "$(grep -c NUMANode <<<"$topology")"
  expect "lstopo: CPUs" 192 "$(grep -c 'PU L#' <<<"$topology")"
  expect "lstopo: EFA devices" 32 "$(grep -c 'OpenFabrics' <<<"$topology")"
fi
echo "$failures failed"
[ "$failures" = 0 ]
