#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_nodes on emulated devices of two nodes, the far one first.
set -u

exec "${OUT:?}/bin/wd-emulate" --zip 2 --node 1,0 -- "$OUT/tests/libwd/test_nodes"
