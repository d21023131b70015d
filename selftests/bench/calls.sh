#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# System calls per request, session and sleep, against benchmarks/calls.record.
set -u
exec "${TOP:?}/benchmarks/run" --check '*.calls'
