#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Instructions per request, against benchmarks/instructions.record: a request of each engine; instr_all.sh has all rows.
set -u
exec "${TOP:?}/benchmarks/run" --check {sync,async,burst,cipher.async,rsa.async}.null.instr
