#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# test_user_ctxs on two emulated devices of one node and one of another.
set -u

exec "${OUT:?}/bin/wd-emulate" --zip 3 --node 0,0,1 -- "$OUT/tests/libwd/test_user_ctxs"
