#!/usr/bin/env -S python3 -B
"""Two hosts, without measuring: the token, the server, and who is let in."""
import os
import re
import signal
import socket
import stat
import subprocess

from cli_testing import DEADLINE_SECONDS, CliTestCase, main, runfile

P5 = "--emulate=p5.48xlarge"


class Server:
    """`railgauge serve` on a free port of this host."""

    def __init__(self, test, *arguments):
        self.process = subprocess.Popen(
            [runfile("cli/railgauge"), "serve", "--listen=127.0.0.1:0", P5, *arguments],
            cwd=test.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.stop)
        self.port = None
        for line in self.process.stdout:
            found = re.search(r"serving on port (\d+)", line)
            if found:
                self.port = int(found.group(1))
                break

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def stop(self):
        """Interrupts it; what it printed since it began to serve."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=DEADLINE_SECONDS)
        return out + err


class PeerTestCase(CliTestCase):
    def token(self, name):
        self.assert_status(self.railgauge("token", name), 0)
        return self.path(name)

    def check(self, *arguments):
        return self.railgauge("check", "--placement=nearest", "--output=run", P5, *arguments)


class TokenTest(PeerTestCase):
    def test_is_private_and_never_replaced(self):
        path = self.token("rail.token")
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="ascii") as file:
            content = file.read()
        self.assertRegex(content, r"\Arailgauge-token-1 [0-9a-f]{64}\n\Z")
        self.assert_one_line(self.railgauge("token", "rail.token"), "rail.token", "EEXIST")
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), content)

    def test_one_that_others_can_read(self):
        path = self.token("open.token")
        os.chmod(path, 0o644)
        outcome = self.check("--peer=127.0.0.1:1", f"--token={path}")
        self.assert_one_line(outcome, "open.token", "chmod 600")
        outcome = self.railgauge("serve", f"--token={path}", P5)
        self.assert_one_line(outcome, "open.token", "chmod 600")


class FlagsTest(PeerTestCase):
    def test_what_is_missing_or_wrong(self):
        token = f"--token={self.token('t')}"
        for arguments, parts in [
                (["--peer=node-b"], ["--token", "railgauge token"]),
                ([token], ["--peer"]),
                (["--peer=node-b:x", token], ["node-b:x", "port"]),
                (["--peer=a/b", token], ["a/b"]),
                (["--peer=:0", token], ["--peer"]),
                (["--peer=node-b", "--token=none"], ["none", "railgauge token"])]:
            with self.subTest(arguments):
                self.assert_one_line(self.check(*arguments), *parts)
                self.assertFalse(os.path.exists(self.path("run")))
                if "--token=none" not in arguments:  # a plan opens no file and no connection
                    self.assert_one_line(self.check(*arguments, "--dry-run"), *parts)
                    self.assert_one_line(self.railgauge("load", P5, *arguments, "--dry-run"), *parts)

    def test_nobody_there(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and does not listen
            port = taken.getsockname()[1]
            outcome = self.check(f"--peer=127.0.0.1:{port}", f"--token={self.token('t')}")
        self.assert_one_line(outcome, f"127.0.0.1:{port}", "ECONNREFUSED", "railgauge serve")
        self.assertFalse(os.path.exists(self.path("run")))

    def test_a_port_that_is_taken(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            listen = "--listen=127.0.0.1:%d" % taken.getsockname()[1]
            outcome = self.railgauge("serve", f"--token={self.token('t')}", listen, P5)
        self.assert_one_line(outcome, "EADDRINUSE")


class ServeTest(PeerTestCase):
    def test_refuses_strangers_and_ends_cleanly(self):
        server = Server(self, f"--token={self.token('right')}")
        self.assertTrue(server.port)
        outcome = self.check(f"--peer={server.address}", f"--token={self.token('wrong')}")
        self.assert_one_line(outcome, server.address, "refused this side's token: it holds another one")
        with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE_SECONDS) as noise:
            noise.sendall(b"GET / HTTP/1.1\r\n\r\n")
            while noise.recv(4096):
                pass
        said = server.stop()
        self.assertEqual(server.process.returncode, 0, said)
        self.assertIn("0 clients served; refused: 2 strangers", said)

    def test_ends_when_nobody_reads_what_it_says(self):
        # As when the ssh that started it is gone: without a terminal there is no SIGHUP.
        server = Server(self, f"--token={self.token('t')}")
        server.process.stdout.close()
        server.process.wait(DEADLINE_SECONDS)

    def test_a_peer_whose_nics_are_busy_is_refused(self):
        token = f"--token={self.token('t')}"
        server = Server(self, token, P5 + ",foreign-traffic:rdmap80s0")
        arguments = ["--places=gpu0", f"--peer={server.address}", token]
        outcome = self.check("--nics=rdmap79s0,rdmap80s0", *arguments)
        self.assert_one_line(outcome, "1 busy NIC", "(rdmap80s0): ", "_bytes in ", " at ", "--allow-busy")
        self.assertNotIn("rdmap79s0", outcome.stderr)
        self.assertFalse(os.path.exists(self.path("run")))


if __name__ == "__main__":
    main()
