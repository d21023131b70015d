#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Libraries and tools on devices of generation 2 without shared virtual addressing and without an IOMMU.

# shellcheck disable=SC2034 # for nosva_cases.sh
GENERATION=2 IOMMU=0
. "$(dirname "$0")/nosva_cases.sh"
