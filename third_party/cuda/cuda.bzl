"""A repository rule for the headers of a CUDA toolkit that may be there: `@cuda_toolkit`.

Only a compile-time test uses them. Without a toolkit the library is empty, and the test says so.
"""

def _cuda_toolkit_impl(ctx):
    home = ctx.os.environ.get("CUDA_HOME", "/usr/local/cuda")
    include = ctx.path(home + "/include")
    headers = "[]"
    if include.get_child("cuda.h").exists:
        ctx.symlink(include, "include")
        headers = "glob([\"include/cuda.h\"])"
    ctx.file("BUILD.bazel", """
cc_library(
    name = "cuda_toolkit",
    hdrs = {},
    includes = ["include"],
    visibility = ["//visibility:public"],
)
""".format(headers))

cuda_toolkit = repository_rule(
    implementation = _cuda_toolkit_impl,
    environ = ["CUDA_HOME"],
    local = True,
)
