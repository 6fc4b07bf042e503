#!/usr/bin/env bash
# Runs census_denied_test as an unprivileged user of an emulated machine.
set -eu
emulate=lib/emulator/launcher/emulate
program=lib/interconnect/census_denied
"$emulate" --user=1000 --device-mode=0600 p4d.24xlarge "$program" no_permission
"$emulate" --user=1000 p4d.24xlarge "$program" memlock
