#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_bind on two emulated devices.
set -u

exec "${OUT:?}/bin/wd-emulate" --zip 2 -- "$OUT/tests/libwd/test_bind"
