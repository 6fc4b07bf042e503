#!/usr/bin/env -S python3 -B
"""--help of every command that the program has: complete, of one width, and the same of the same flag."""
import re

from cli_testing import CliTestCase, main, runfile

WIDTH = 100
# What one flag means differs from command to command in these places alone.
VARIES = (r" \(default: [^()]*(\([^()]*\))?[^()]*\)$",  # what happens without it
          r"(?<=^also write ).*(?= to FILE; - is stdout, alone$)")  # which table it is


class HelpTest(CliTestCase):
    def help(self, *command):
        outcome = self.railgauge(*command, "--help")
        self.assert_status(outcome, 0)
        self.assertEqual(outcome.stderr, "")
        return outcome.stdout

    def commands(self):
        """All of them, as one calls them: "fleet plan", too."""
        names = self.below("")
        self.assertGreater(len(names), 10)
        return names

    def below(self, parent):
        parts = self.help(*parent.split()).split("\nSubcommands:\n")
        names = []
        for name in re.findall(r"^  (\S+)", parts[1].split("\n\n")[0], re.MULTILINE) if len(parts) > 1 else []:
            whole = f"{parent} {name}".strip()
            names += [whole, *self.below(whole)]
        return names

    @staticmethod
    def options(text):
        """(flag, placeholder, description) of each option; a description may go on in the next lines."""
        section = re.search(r"\nOptions:\n(.*?)\n\n", text, re.DOTALL).group(1)
        for entry in re.split(r"\n(?=  -)", section):
            flat = re.sub(r"\n +", "  ", entry.strip())
            flag, placeholder, description = re.fullmatch(r"(\S+)(?: (\S+))?(?: REQUIRED)? +(.*)", flat).groups()
            yield flag, (placeholder or "").partition("=")[0], " ".join(description.split())

    def test_every_command(self):
        for name in [None, *self.commands()]:
            with self.subTest(name):
                text = self.help(*(name or "").split())
                self.assertLessEqual(max(map(len, text.splitlines())), WIDTH)
                self.assertFalse([line for line in text.splitlines() if line.endswith(" ")])
                self.assertIn("\nExit status: ", text)
                examples = text.split("\nExamples:\n")[1].splitlines()
                self.assertGreaterEqual(len(examples), 2)
                own = [line for line in examples if f"railgauge {name or ''}" in line]
                self.assertGreaterEqual(len(own), 1, examples)
                # CLI11's word for what nobody named.
                self.assertNotIn(" TEXT", text)

    def test_examples_name_what_there_is(self):
        commands = self.commands()
        flags = {name: {flag for flag, _, _ in self.options(self.help(*name.split()))} for name in commands}
        for name in [None, *commands]:
            for line in self.help(*(name or "").split()).split("\nExamples:\n")[1].splitlines():
                for part in re.split(r" (?:&&|\|) ", line):
                    called = re.match(r"\s*railgauge ((?:[a-z]\S* ?)+)", part)
                    if not called:
                        continue
                    words = called.group(1).strip() + " "
                    of = max((known for known in commands if words.startswith(known + " ")), key=len, default=None)
                    self.assertIsNotNone(of, line)
                    for flag in re.findall(r" (--[\w-]+)", part):
                        self.assertIn(flag, flags[of], line)

    def test_the_readme_has_the_exit_statuses(self):
        """Of every command, and of each those that its help names."""
        with open(runfile("README.md"), encoding="utf-8") as file:
            table = re.search(r"\*\*Exit status\*\*.*?\n\n(\|.*?)\n\n", file.read(), re.DOTALL).group(1)
        readme = {}
        for row in table.splitlines():
            names, _, bad, undecided = [cell.strip() for cell in row.split("|")[1:-1]]
            for name in re.findall(r"`([a-z ]+)`", names) if re.match("`[a-z]", names) else []:
                self.assertNotIn(name, readme)
                readme[name] = {0, 2} | ({1} if bad else set()) | ({3} if undecided else set())
        told = {}
        for name in self.commands():
            if self.below(name):
                continue
            text = re.search(r"\nExit status: (.*?)\nExamples:", self.help(*name.split()), re.DOTALL).group(1)
            told[name] = set(map(int, re.findall(r"(?:^|; )([0-3]) ", text.replace("\n", " "))))
            if text.startswith("as of check"):
                told[name] |= told["check"]
        self.assertEqual(readme, told)

    def test_the_same_flag_says_the_same(self):
        said = {}
        for name in self.commands():
            for flag, placeholder, description in self.options(self.help(*name.split())):
                for part in VARIES:
                    description = re.sub(part, "", description)
                said.setdefault((flag, placeholder), {}).setdefault(description, []).append(name)
        for (flag, placeholder), texts in said.items():
            # What a command makes is its own.
            if flag != "--output":
                self.assertEqual(len(texts), 1, f"{flag} {placeholder}: {texts}")
        # One flag has one placeholder, but --output and --hwloc-xml, which take two kinds of things.
        kinds = {}
        for flag, placeholder in said:
            kinds.setdefault(flag, set()).add(placeholder)
        several = {flag: kind for flag, kind in kinds.items() if len(kind) > 1}
        self.assertLessEqual(set(several), {"--output", "--hwloc-xml"}, several)


if __name__ == "__main__":
    main()
