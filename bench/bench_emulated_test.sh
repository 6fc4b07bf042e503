#!/usr/bin/env bash
# The benchmark binaries on emulated machines: names, flags, counters, rows and exit statuses.
set -uo pipefail
read_bench=$1
write_bench=$2
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# run STATUS COMMAND…: output goes to $out and $err; the exit status must be STATUS.
out=$TEST_TMPDIR/out
err=$TEST_TMPDIR/err
run() {
  local wanted=$1
  shift
  echo "+ $*"
  timeout 120 "$@" >"$out" 2>"$err"
  local status=$?
  [ "$status" = "$wanted" ] || {
    fail "exit status $status instead of $wanted: $*"
    cat "$out" "$err"
  }
}
has() { grep -qE -- "$2" "$1" || { fail "no '$2' in:"; cat "$1"; }; }
has_not() { ! grep -qE -- "$2" "$1" || { fail "'$2' in:"; cat "$1"; }; }
lines() { [ "$(wc -l <"$1")" = "$2" ] || { fail "not $2 lines:"; cat "$1"; }; }

p5=--emulate=p5.48xlarge
p4d=--emulate=p4d.24xlarge
fast="--benchmark_min_time=0.02s"

# Every NIC, place, direction and size has a benchmark with a stable name.
run 0 "$read_bench" $p5 --sizes=1MiB --benchmark_list_tests
lines "$out" 640
has "$out" '^read/nic:0000:[0-9a-f:.]+/place:numa0/way:host/direction:to_memory/size:1048576/depth:32/queue_pairs:4/peer:loopback/'
run 0 "$write_bench" $p5 --sizes=4KiB,1MiB --places=gpu0 --benchmark_list_tests
lines "$out" 128
has "$out" '^write/nic:.*/place:gpu:0000:[0-9a-f:.]+/way:dmabuf/direction:from_memory/size:4096/'
nic=$(head -1 "$out" | sed -E 's,.*nic:([^/]*)/.*,\1,')

# JSON with the counters, filter and repetitions; an id for data to memory, none for data from it.
csv=$TEST_TMPDIR/samples.csv
run 0 "$read_bench" $p5 --nics="$nic" --places=numa0 --sizes=1MiB $fast --benchmark_repetitions=3 \
  --benchmark_format=json --csv_out="$csv"
has "$out" '"platform": "emulated"'
has "$out" '"bytes_per_second": [1-9][0-9.]*e\+(09|10)'
has "$out" '"messages_per_second": [1-9][0-9.]*e\+0[34]'
has "$out" '"label": "interconnect_id:[0-9]+"'
has "$out" '"label": "no id"'
has "$out" '"aggregate_name": "median"'
lines "$csv" 7
has "$csv" '^schema_version,run_id,host,'
has "$csv" ",emulated,$nic,.*,numa0,read,to_memory,1048576,32,alone,host,.*,ok,"

run 0 "$write_bench" $p5 --nics="$nic" --places=gpu0 --sizes=1MiB $fast \
  --benchmark_filter=direction:to_memory
has "$out" 'write/.*direction:to_memory'
has_not "$out" 'direction:from_memory'

# Rows on stdout, alone; the display is on stderr.
run 0 "$read_bench" $p5 --nics "$nic" --places=numa0 --sizes=1MiB $fast --csv_out=-
lines "$out" 3
has "$out" '^schema_version,run_id,host,'
has "$err" '^read/nic:'

# Single messages: percentiles, and no throughput; of a WRITE half of a round trip, once.
run 0 "$read_bench" $p5 --latency --nics="$nic" --places=numa0 --sizes=8 --benchmark_min_time=200x
has "$out" 'read/.*direction:to_memory/size:8/depth:1/queue_pairs:1/.*/mode:latency/.*latency_p50_ns='
has_not "$out" 'bytes_per_second'
run 0 "$write_bench" $p5 --latency --nics="$nic" --places=gpu0 --sizes=8 --benchmark_min_time=200x \
  --csv_out="$csv"
has "$out" 'write/.*direction:from_memory/size:8/depth:1/queue_pairs:1/.*/mode:latency/.*latency_p99_ns='
has_not "$out" 'bytes_per_second|direction:to_memory'
lines "$csv" 2
has "$csv" ',write,from_memory,8,1,alone,dmabuf,.*,ok,'

# p4d has no RDMA write: a row and a line with the reason, and nothing was measured.
run 3 "$write_bench" $p4d --places=numa0 --sizes=1MiB $fast --csv_out="$csv"
has "$out" 'SKIPPED: .* has no RDMA write'
has "$csv" ',skipped,[^,]* has no RDMA write,'
lines "$csv" 9
run 0 "$read_bench" $p4d --places=numa0 --sizes=1MiB $fast --benchmark_filter=to_memory
has_not "$out" 'SKIPPED'

# One clear line, status 2.
one_line() { lines "$err" 1; has "$err" "$1"; }
run 2 "$read_bench" --sizes=1MiB && one_line 'EFA'
run 2 "$read_bench" $p5 --nics=rdmap1 && one_line 'rdmap1'
run 2 "$read_bench" $p5 --nic=rdmap1 && one_line 'there is no such flag'
run 2 "$read_bench" $p5 --nics && one_line 'needs a value'
run 2 "$read_bench" $p5 --sizes=1GiB && one_line 'at most'
run 2 "$read_bench" $p5 --latency --queue-pairs=4 && one_line 'no --queue-pairs but 1'
run 2 "$write_bench" $p5 --latency --depths=1 && one_line 'no --depths'
run 2 "$read_bench" $p5 --token=t --benchmark_list_tests && one_line 'there is no --peer'
run 2 "$read_bench" $p5 --benchmark_out=/no/x && one_line 'rdma_read_bench: write --benchmark_out /no/x'
run 2 "$read_bench" $p5 --benchmark_format=xml && one_line 'console, json, csv'
run 2 "$read_bench" $p5 --benchmark_min_time=abc && one_line 'abc'
run 2 "$read_bench" $p5 --benchmark_nonsense && one_line 'there is no such flag'
run 2 "$read_bench" $p5 --csv_out=/sys/x.csv && one_line 'not kept'
run 2 "$read_bench" $p5 --sizes=1MB/s && one_line '1MB/s'
run 2 "$read_bench" $p5 --csv_out=/no/such/folder/x.csv && one_line '/no/such/folder/x.csv'
run 2 "$read_bench" $p5 --benchmark_filter=nothing_like_this

[ "$failures" = 0 ] && echo "all passed" || exit 1
