"""A repository rule that makes a system library a cc_library by asking pkg-config.

The library is `@NAME//:NAME`. Headers in the compiler's own search path need no flag (and stay
system headers, so our warnings leave them alone); any other include directory is passed with
-isystem. A library that is missing stops the build with the advice of the WORKSPACE.
"""

def _fail(ctx, what):
    fail("%s: %s. What to do: %s" % (ctx.name, what, ctx.attr.advice))

def _run(ctx, arguments):
    result = ctx.execute(arguments)
    return result.stdout.strip() if result.return_code == 0 else None

def _probe_header(ctx):
    ctx.file("probe.cc", "#include <%s>\n" % ctx.attr.header)
    compiler = ctx.os.environ.get("CXX", "c++")
    result = ctx.execute([compiler, "-std=c++20", "-E", "-o", "/dev/null", "probe.cc"])
    if result.return_code != 0:
        _fail(ctx, "the header <%s> is not installed" % ctx.attr.header)

# Whether the library's source, compiled with the installed headers, is all that its users need.
def _compiles_once(ctx):
    if not ctx.attr.source:
        return False
    source = ctx.path(ctx.attr.source)
    probe = ctx.path(ctx.attr.source_probe)
    compiler = ctx.os.environ.get("CXX", "c++")
    result = ctx.execute([compiler, "-std=c++20", "-o", "probe", str(source), str(probe)])
    if result.return_code != 0 or ctx.execute(["./probe"]).return_code != 0:
        return False
    ctx.symlink(source, source.basename)
    return True

def _pkg_config_library_impl(ctx):
    copts = []
    linkopts = []
    compiles_once = _compiles_once(ctx)
    package = ctx.attr.package
    if ctx.attr.header:
        # Header-only: what counts is that the compiler finds it; not every package ships a .pc file.
        _probe_header(ctx)
    else:
        if ctx.which("pkg-config") == None:
            fail("pkg-config is not installed. What to do: apt-get install pkg-config")
        version = _run(ctx, ["pkg-config", "--modversion", package])
        if version == None:
            _fail(ctx, "pkg-config knows no package '%s'" % package)
        minimum = ctx.attr.min_version
        if minimum and _run(ctx, ["pkg-config", "--atleast-version=" + minimum, package]) == None:
            _fail(ctx, "%s %s is too old, %s or later is needed" % (package, version, minimum))
        for flag in (_run(ctx, ["pkg-config", "--cflags", package]) or "").split(" "):
            if flag.startswith("-I"):
                copts.append("-isystem" + flag[2:])
            elif flag:
                copts.append(flag)
        if ctx.attr.static_library:
            linkopts = ["-l:" + ctx.attr.static_library]
        else:
            linkopts = [f for f in _run(ctx, ["pkg-config", "--libs", package]).split(" ") if f]
    ctx.file("BUILD.bazel", """
cc_library(
    name = "{name}",
    srcs = {srcs},
    defines = {defines},
    copts = {copts},
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
)
""".format(
        name = ctx.name,
        srcs = repr([ctx.path(ctx.attr.source).basename] if compiles_once else []),
        defines = repr([] if compiles_once else ctx.attr.defines),
        copts = repr(copts),
        linkopts = repr(linkopts),
    ))

pkg_config_library = repository_rule(
    implementation = _pkg_config_library_impl,
    attrs = {
        "package": attr.string(doc = "The name pkg-config knows; unused for a header-only library."),
        "header": attr.string(doc = "For a header-only library: a header whose presence is checked."),
        "min_version": attr.string(),
        "static_library": attr.string(doc = "File name of the archive to link instead of the shared library."),
        "defines": attr.string_list(doc = "What users of the headers alone need defined."),
        "source": attr.label(
            doc = "For a header-only library: what it is once compiled. With it nothing is defined; it " +
                  "is left out where it does not go with the installed headers, see source_probe.",
        ),
        "source_probe": attr.label(doc = "A program that links and runs where `source` is enough."),
        "advice": attr.string(mandatory = True, doc = "What to do when it is missing."),
    },
    environ = ["CXX", "PKG_CONFIG_PATH"],
    local = True,
    configure = True,
)
