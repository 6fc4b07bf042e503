#!/usr/bin/env bash
# Several machines as a person starts them. Arguments: the launcher and the lost_fabric_probe.
set -uo pipefail
emulate=$(realpath "$1")
probe=$(realpath "$2")
machine=p4d.24xlarge
nic=rdmap16s27
failures=0

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
# wait_gone PID: until that process is no more, for at most ten seconds
wait_gone() {
  for _ in $(seq 1000); do
    [ -d "/proc/$1" ] && ! grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null || return 0
    sleep 0.01
  done
  return 1
}
status_of() { "$@" >/dev/null 2>&1; echo $?; }

expect "exit status is the command's" 7 "$(status_of "$emulate" --nodes=2 $machine sh -c 'exit 7')"
expect "and on another node" 9 \
  "$(status_of "$emulate" --nodes=2 $machine "$emulate" --node=1 sh -c 'exit 9')"
expect "a signal kills the command as ever" 143 \
  "$(status_of sh -c "\"$emulate\" --nodes=1 $machine sh -c 'kill -TERM \$\$'")"
expect "a signal to the launcher is passed on" "got TERM" \
  "$("$emulate" --nodes=1 $machine sh -c 'trap "echo got TERM; exit" TERM; kill -TERM $PPID; while :; do sleep 0.01; done')"
expect "unknown command" 127 "$(status_of "$emulate" --nodes=2 $machine /no/such/command)"
for bad in --nodes=0 --nodes=17 --nodes=x --node=x; do
  expect "$bad" 2 "$(status_of "$emulate" $bad $machine true)"
done
for bad in --on=2:missing-nic:$nic --on=x:missing-nic:$nic --on=1 --on=1:no-such-fault; do
  expect "$bad" 2 "$(status_of "$emulate" --nodes=2 "$bad" $machine true)"
done
expect "--on without nodes" 2 "$(status_of "$emulate" --on=0:missing-nic:$nic $machine true)"
expect "a fault of one node alone" "4 3" \
  "$("$emulate" --nodes=2 --on=1:missing-nic:$nic $machine sh -c "ls /sys/class/infiniband | wc -l
     '$emulate' --node=1 ls /sys/class/infiniband | wc -l" | xargs)"
outside=$("$emulate" --node=1 true 2>&1)
expect "--node without a fabric" 2 $?
expect_text "--node without a fabric says what to do" "no fabric here.*--nodes=N" "$outside"
expect "--fabric-status without a fabric" 2 "$(status_of "$emulate" --fabric-status)"
missing=$("$emulate" --nodes=2 $machine "$emulate" --node=2 true 2>&1)
expect "a node that is not there" 2 $?
expect "is one line" 1 "$(wc -l <<<"$missing")"
expect_text "and is named" "node 2" "$missing"

expect "host names" "emulated-0 emulated-1" \
  "$("$emulate" --nodes=2 $machine sh -c "hostname; '$emulate' --node=1 hostname" | xargs)"
expect "instance ids" "i-emulated-0 i-emulated-1" \
  "$("$emulate" --nodes=2 $machine sh -c "cat /sys/devices/virtual/dmi/id/board_asset_tag
     '$emulate' --node=1 cat /sys/devices/virtual/dmi/id/board_asset_tag" | xargs)"
expect "GIDs and GUIDs of two nodes all differ" 16 \
  "$("$emulate" --nodes=2 $machine sh -c "cat /sys/class/infiniband/*/node_guid
                                             cat /sys/class/infiniband/*/ports/1/gids/0
     '$emulate' --node=1 sh -c 'cat /sys/class/infiniband/*/node_guid
                                cat /sys/class/infiniband/*/ports/1/gids/0'" |
     sed 's/^0/g0/' | sort -u | wc -l)"
if grep -q __tsan_init "$emulate"; then
  echo "SKIPPED: an unprivileged user, on both nodes: TSan gives a forked process a thread of its own," \
    "and only a process of one thread may enter a user namespace (unshare(2), EINVAL)"
else
  expect "an unprivileged user, on both nodes" "1000 1000" \
    "$("$emulate" --user=1000 --nodes=2 $machine sh -c "id -u; '$emulate' --node=1 id -u" | xargs)"
fi
expect_text "the status is JSON" '"nodes": 3, .*"qps": 0' \
  "$("$emulate" --nodes=3 $machine "$emulate" --fabric-status)"
python3 -c 'import json, sys; json.load(sys.stdin)' \
  <<<"$("$emulate" --nodes=1 $machine "$emulate" --fabric-status)" || fail "the status is no JSON"
expect "a machine of its own inside" "p5.48xlarge" \
  "$("$emulate" --nodes=2 $machine "$emulate" p5.48xlarge sh -c \
     'cat /sys/devices/virtual/dmi/id/product_name; echo $RAILGAUGE_EMULATED_FABRIC' | xargs)"

# Nothing is left when the launcher is killed.
folder=$(mktemp -d)
"$emulate" --nodes=2 $machine sh -c "
  '$emulate' --node=1 sh -c 'echo \$\$ >\"$folder/one\"; while :; do sleep 1; done' &
  echo \$\$ >'$folder/zero'; wait" &
launcher=$!
for _ in $(seq 1000); do [ -s "$folder/one" ] && [ -s "$folder/zero" ] && break; sleep 0.01; done
kill -KILL $launcher
wait $launcher 2>/dev/null
wait_gone "$(cat "$folder/zero")" && echo "ok: node 0 ends with the launcher" ||
  fail "node 0 outlives the launcher"
wait_gone "$(cat "$folder/one")" && echo "ok: node 1 ends with the launcher" ||
  fail "node 1 outlives the launcher"
rm -r "$folder"

# What an application sees whose fabric died. It outlives the launcher, and the pipe waits for it.
answers=$("$emulate" --nodes=1 $machine "$probe" $nic 2>/dev/null; true)
expect_text "before" "^before completion" "$answers"
expect_text "an asynchronous event tells of it" "^event local catastrophic error" "$answers"
expect_text "a new object is refused" "^alloc_pd EIO" "$answers"
expect_text "memory is refused" "^reg_mr EIO" "$answers"
expect_text "doorbells wait for nobody" "^doorbells ok" "$answers"
expect_text "the device does not open" "^open " "$answers"
if grep -q '^open ok' <<<"$answers"; then fail "a device without a fabric opened"; fi

echo "$failures failed"
[ "$failures" = 0 ]
