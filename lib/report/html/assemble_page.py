"""Puts style, script and licences into the page, for genrule: everything but the data.

    assemble_page.py TEMPLATE STYLE SCRIPT METAFILE NODE_MODULES > page

The licences are those of the packages of which esbuild's METAFILE says that a byte is in SCRIPT. The
content security policy allows this very script and no other, so that nothing in the data can run.
"""
import base64
import glob
import hashlib
import html
import json
import os
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def packages_in(metafile):
    """Folders of the packages that contributed, as names below node_modules."""
    names = set()
    for output in json.loads(read(metafile))["outputs"].values():
        for path, what in output["inputs"].items():
            found = re.search(r"node_modules/((?:@[^/]+/)?[^/]+)/", path)
            if found and what["bytesInOutput"] > 0:
                names.add(found[1])
    return sorted(names)


def licence_of(name, node_modules):
    folder = os.path.join(node_modules, name)
    package = json.loads(read(os.path.join(folder, "package.json")))
    texts = sorted(glob.glob(os.path.join(folder, "[Ll][Ii][Cc][Ee][Nn][SsCc][Ee]*")))
    if not texts:
        sys.exit(f"{name} has no licence file")
    return f"{name} {package['version']} ({package['license']})\n\n{read(texts[0]).strip()}\n"


def main():
    template, style, script, metafile, node_modules = sys.argv[1:]
    # The HTML parser ends a script at "</script" whatever it stands in, and so it does a style.
    script = re.sub(r"</(script)", r"<\\/\1", read(script), flags=re.IGNORECASE).strip()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    licences = "\n\n".join(licence_of(name, node_modules) for name in packages_in(metafile))
    parts = {"SCRIPT_HASH": f"sha256-{digest}", "STYLE": read(style).strip(), "SCRIPT": script,
             "LICENCES": html.escape(licences, quote=False)}
    page = re.sub(r"@@(SCRIPT_HASH|STYLE|SCRIPT|LICENCES)@@", lambda match: parts[match[1]], read(template))
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(page)


main()
