"""A repository rule for the distribution's rdma-core, and what it lacks.

Used with `--define=rdma_core=system`. Older releases lack calls that railgauge asks for; each is
probed by a compilation and, when it is missing, told to the code by a macro, so that the tools say
"cannot tell" or "not supported" at run time instead of not being built at all.
"""

# Macro for what is missing -> an expression that compiles only where it is there.
PROBES = {
    "RAILGAUGE_RDMA_CORE_LACKS_EFADV_QUERY_MR": "efadv_query_mr",  # rdma-core 50
    "RAILGAUGE_RDMA_CORE_LACKS_EFA_RDMA_WRITE": "EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE",  # rdma-core 46
}

def _compiles(ctx, expression):
    ctx.file("probe.c", """
#include <infiniband/efadv.h>
int main(void) {{ (void)({expression}); return 0; }}
""".format(expression = expression))
    compiler = ctx.os.environ.get("CC", "cc")
    result = ctx.execute([compiler, "-Werror", "-c", "-o", "probe.o", "probe.c"])
    return result.return_code == 0

def _system_rdma_core_impl(ctx):
    if not _compiles(ctx, "efadv_query_device"):
        fail("the system has no rdma-core with EFA. What to do: apt-get install libibverbs-dev, " +
             "or build without --define=rdma_core=system")
    lacking = [macro for macro, expression in PROBES.items() if not _compiles(ctx, expression)]
    ctx.file("BUILD.bazel", """
cc_library(
    name = "efa",
    defines = {defines},
    linkopts = ["-lefa", "-libverbs"],
    visibility = ["//visibility:public"],
)
""".format(defines = repr([macro + "=1" for macro in lacking])))

system_rdma_core = repository_rule(
    implementation = _system_rdma_core_impl,
    environ = ["CC"],
    local = True,
    configure = True,
)
