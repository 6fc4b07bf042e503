"""Packages of npm, as package-lock.json pins them: each archive is fetched and held against its
integrity hash by Bazel itself.

scripts/setup puts the archives into the --distdir by the npm client, which knows the machine's
registry; without them Bazel asks the registry that `npm config` names.
"""

def _output(ctx, command):
    result = ctx.execute(command)
    return result.stdout.strip() if result.return_code == 0 else ""

def _registry(ctx):
    registry = ctx.os.environ.get("npm_config_registry", "")
    if not registry and ctx.which("npm"):
        registry = _output(ctx, ["npm", "config", "get", "registry"])

    # Never asked where the archives are in the --distdir.
    return (registry or "https://registry.invalid").rstrip("/")

# Packages with a program name the processors, systems and C libraries that it is for.
def _is_for(package, cpu):
    return (cpu in package.get("cpu", [cpu]) and "linux" in package.get("os", ["linux"]) and
            "glibc" in package.get("libc", ["glibc"]))

def _npm_packages_impl(ctx):
    machine = _output(ctx, ["uname", "-m"])
    cpu = {"x86_64": "x64", "aarch64": "arm64"}.get(machine, machine)
    registry = _registry(ctx)
    lock = json.decode(ctx.read(ctx.attr.lock))
    for folder, package in lock["packages"].items():
        if not folder or not _is_for(package, cpu):
            continue
        name = folder.split("node_modules/")[-1]
        file = "%s-%s.tgz" % (name.split("/")[-1], package["version"])
        done = ctx.download_and_extract(
            "%s/%s/-/%s" % (registry, name, file),
            output = folder,
            integrity = package["integrity"],
            stripPrefix = "package",
            allow_fail = True,
        )
        if not done.success:
            fail("%s was not found: run scripts/setup where npm reaches a registry" % file +
                 " (or build without the page of `railgauge report`: --define=report_page=none)")
    ctx.file("BUILD.bazel", """\
package(default_visibility = ["//visibility:public"])

filegroup(
    name = "node_modules",
    srcs = glob(["node_modules/**"]),
)

filegroup(
    name = "esbuild",
    srcs = glob(["node_modules/@esbuild/*/bin/esbuild"], allow_empty = True),
)

exports_files(glob(["node_modules/*/package.json"]))
""")

npm_packages = repository_rule(
    implementation = _npm_packages_impl,
    attrs = {"lock": attr.label(mandatory = True, doc = "package-lock.json")},
)
