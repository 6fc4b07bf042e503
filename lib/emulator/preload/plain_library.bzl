"""plain_library: a shared library that is built without sanitizers, whatever the rest is built with.

A library that is preloaded into every program of an emulated machine, shells included, cannot ask
the program for a sanitizer's runtime. Programs under test are instrumented all the same.
"""

def _is_sanitizer(flag):
    return flag.startswith("-fsanitize") or flag.startswith("-fno-sanitize")

def _plain_impl(settings, _attr):
    return {
        option: [flag for flag in settings[option] if not _is_sanitizer(flag)]
        for option in ["//command_line_option:copt", "//command_line_option:linkopt"]
    }

_plain = transition(
    implementation = _plain_impl,
    inputs = ["//command_line_option:copt", "//command_line_option:linkopt"],
    outputs = ["//command_line_option:copt", "//command_line_option:linkopt"],
)

def _plain_library_impl(ctx):
    out = ctx.actions.declare_file(ctx.attr.name)
    ctx.actions.symlink(output = out, target_file = ctx.file.library)
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles(files = [out]))]

plain_library = rule(
    implementation = _plain_library_impl,
    attrs = {
        "library": attr.label(allow_single_file = True, cfg = _plain, mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    doc = "The shared library `library` under this rule's own name.",
)
