"""Prints the C++ source that holds FILE as the page's template, for genrule: embed_page.py FILE"""
import sys

HEAD = """#include "lib/report/html/page.h"

namespace railgauge {
namespace {

constexpr char kPage[] =
"""
TAIL = """;

}  // namespace

std::string_view PageTemplate() { return {kPage, sizeof(kPage) - 1}; }

}  // namespace railgauge
"""
LINE = 200


def escaped(byte):
    char = chr(byte)
    # Octal, since a hexadecimal escape would take the digits after it; '?' could begin a trigraph.
    return char if " " <= char <= "~" and char not in '"\\?' else f"\\{byte:03o}"


with open(sys.argv[1], "rb") as file:
    content = file.read()
sys.stdout.write(HEAD)
for start in range(0, len(content), LINE):
    line = "".join(map(escaped, content[start:start + LINE]))
    sys.stdout.write(f'    "{line}"\n')
sys.stdout.write(TAIL)
