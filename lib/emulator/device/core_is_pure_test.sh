#!/usr/bin/env bash
# The device core makes no system call, has no thread and no clock, and knows nothing of uverbs: its
# object files need no symbol but those of the core itself, of the few libraries that it is built
# on, and of the C++ and C libraries' computing parts.
#
# Arguments: the names of the core's libraries, and what nm says that these need, and that these and
# what they are built on have (core_symbols in BUILD.bazel).
set -uo pipefail
libraries=$1 needs=$2 has=$3
names() { awk 'NF > 1 {print $1}' "$1" | sort -u; }

count=$(wc -l <"$libraries")
[ "$count" -ge 12 ] || { echo "FAILED: $count libraries of the core: the test is blind"; exit 1; }
outside=$(comm -23 <(names "$needs") <(names "$has"))
[ "$(wc -l <<<"$outside")" -ge 10 ] || { echo "FAILED: it needs nothing: the test is blind"; exit 1; }

# Computing, memory, and the locks that make the core usable from any thread.
allowed='^(mem(cpy|move|set|cmp|chr)|str(len|cmp)|inet_pton|abort|__popcountdi2|(__)?l?gamma'
allowed+='|floor|ceil|round|nearbyint|l?lround|exp|log|log1p|sqrt|pow|fmod|cos|sin|sincos'
allowed+='|__stack_chk_fail|__.*_chk|_GLOBAL_OFFSET_TABLE_|__dso_handle|__libc_single_threaded'
allowed+='|__cxa_[a-z_]+|__gxx_personality_v0|_Unwind_Resume|_Z(nw|na|dl|da)[a-zA-Z0-9_]*|DW\.ref\..*'
allowed+='|pthread_mutex_(un)?lock|__gthrw_.*|_ZT[VISC].*|_ZN?K?St.*|_ZNKSt.*|_ZGV.*)$'
# Of the C++ library what stands for a system call: threads, clocks, files, streams.
forbidden='St6thread|this_thread|steady_clock3now|system_clock3now|high_resolution_clock|basic_[io]*f?stream'
forbidden+='|filesystem|random_device|_ZSt4cout|_ZSt4cerr'

bad=$(grep -Ev "$allowed" <<<"$outside"; grep -E "$forbidden" <<<"$outside")
if [ -n "${bad//[$'\n ']/}" ]; then
  echo "FAILED: the device core needs what is not its own:"
  c++filt <<<"$bad"
  exit 1
fi
echo "ok: $count libraries need $(wc -l <<<"$outside") symbols from outside, all of them pure"

# The test sees what it should: a library that does make system calls is found out.
probe=$(printf 'clock_gettime\nopen64\nmmap\nsocket\npthread_create\nsyscall\n_ZNSt6thread15_M_start_threadEv\n')
seen=$(grep -Ev "$allowed" <<<"$probe"; grep -E "$forbidden" <<<"$probe")
[ "$(sort -u <<<"$seen" | wc -l)" = 7 ] || { echo "FAILED: the lists let system calls through"; exit 1; }
