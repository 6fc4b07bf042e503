// What rdma-core's CMake run would find on every platform that railgauge supports
// (x86-64 and aarch64 Linux, GCC 12+ or Clang 14+).
#pragma once

#define PACKAGE_VERSION "56.1"

#define HAVE_BUILTIN_CLZ 1
#define HAVE_BUILTIN_CLZL 1
#define HAVE_BUILTIN_TYPES_COMPATIBLE_P 1
#define HAVE_FULL_SYMBOL_VERSIONS 1
#define HAVE_FUNC_ATTRIBUTE_ALWAYS_INLINE 1
#define HAVE_FUNC_ATTRIBUTE_IFUNC 1
#define HAVE_FUNC_ATTRIBUTE_SYMVER 1
#define HAVE_ISBLANK 1
#define HAVE_STATEMENT_EXPR 1
#define HAVE_TYPEOF 1
#define SIZEOF_LONG 8
#define STREAM_CLOEXEC "e"

#define IBVERBS_PABI_VERSION 34
#define IBV_CONFIG_DIR "/etc/libibverbs.d"
#define RDMA_CDEV_DIR "/dev/infiniband"
#define VERBS_PROVIDER_DIR "/usr/lib/libibverbs"
#define VERBS_PROVIDER_SUFFIX "-rdmav34.so"

// Both kernel interfaces are built in, as in distributions' builds.
#define VERBS_IOCTL_ONLY 0
#define VERBS_WRITE_ONLY 0

// No netlink: EFA addresses need no neighbour resolution.
#define NRESOLVE_NEIGH 1
