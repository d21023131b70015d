#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Instructions per request, against benchmarks/instructions.record.
set -u
exec "${TOP:?}/benchmarks/run" --check '*.instr'
