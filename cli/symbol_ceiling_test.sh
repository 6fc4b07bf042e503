#!/usr/bin/env bash
# The shipped binaries run on Amazon Linux 2023 and Ubuntu 22.04: glibc 2.34, libstdc++ of GCC 11,
# OpenSSL 3.0.
#
#   symbol_ceiling_test.sh BINARY…
set -euo pipefail

glibc=2.34
glibcxx=3.4.29
cxxabi=1.3.13
openssl=3.0.0
libraries='^(libc\.so\.6|libm\.so\.6|libstdc\+\+\.so\.6|libgcc_s\.so\.1|libhwloc\.so\.15|libssl\.so\.3|libcrypto\.so\.3|libexpat\.so\.1|ld-linux-.*)$'

status=0
for binary in "$@"; do
  symbols=$(objdump -T "$binary")
  versions=$(grep -oE '\((GLIBC|GLIBCXX|CXXABI|OPENSSL)_[0-9.]+\)' <<<"$symbols" | tr -d '()' | sort -Vu)
  [ -n "$versions" ] || { echo "$binary: no versioned symbols found: is it a binary?"; exit 1; }
  for spec in "GLIBC_$glibc" "GLIBCXX_$glibcxx" "CXXABI_$cxxabi" "OPENSSL_$openssl"; do
    family=${spec%%_*}
    highest=$(grep "^${family}_" <<<"$versions" | tail -n 1 || true)
    if [ -n "$highest" ] && [ "$(printf '%s\n%s\n' "$highest" "$spec" | sort -V | tail -n 1)" != "$spec" ]; then
      echo "$binary needs $highest, above $spec:"
      grep "($highest)" <<<"$symbols" | awk '{print "  " $NF}' | c++filt | head -n 10
      status=1
    fi
  done
  needed=$(objdump -p "$binary" | awk '$1 == "NEEDED" {print $2}')
  extra=$(grep -vE "$libraries" <<<"$needed" || true)
  if [ -n "$extra" ]; then
    echo "$binary is linked to libraries that a bare instance may lack:" $extra
    status=1
  fi
  echo "$binary:" $(for f in GLIBC GLIBCXX OPENSSL; do grep "^${f}_" <<<"$versions" | tail -n 1; done)
done
exit $status
