#!/usr/bin/env bash
# The census of every instance type equals its scenario (census_emulated_test.cc), each on its own
# emulated machine. What a type must show at least once is below; the types are the folder's.
set -uo pipefail
declare -A statuses=(
  [c5n.18xlarge]="ok"                              # SENDs have an id, and nothing else exists
  [p3dn.24xlarge]="no_id registration_failed"      # no id at all; no dma-buf
  [g5.48xlarge]="ok no_id registration_failed"     # GPU memory registers in no way
  [g6.48xlarge]="ok registration_failed"           # no peer memory
  [p5en.48xlarge]="ok no_id"                       # none by peer memory
  [p6e-gb200.36xlarge]="ok"
  [trn1.32xlarge]="ok not_supported"               # accelerators that are no CUDA GPUs
  [trn1n.32xlarge]="ok not_supported"
  [trn2.48xlarge]="ok no_id not_supported"         # none of NUMA node 1
)
failures=0
count=0
for file in scenarios/instances/*.yaml; do
  type=$(basename "$file" .yaml)
  count=$((count + 1))
  # How long it takes is the p5's test to say; there is no need to repeat it on each.
  # shellcheck disable=SC2086  # several words
  if output=$(lib/interconnect/census_emulated --emulate="$type" --gtest_brief=1 \
    --gtest_filter=-*TakesWellUnderASecond "$type" ${statuses[$type]:-ok} 2>&1); then
    echo "ok: $type: $(grep 'NIC x place' <<<"$output")"
  else
    echo "$output"
    echo "FAILED: $type"
    failures=$((failures + 1))
  fi
done
echo "$count types, $failures failed"
[ "$failures" = 0 ] && [ "$count" -ge 14 ]
