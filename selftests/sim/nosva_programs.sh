#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Libraries and tools on devices of generation 3 without shared virtual addressing, behind an IOMMU.

# shellcheck disable=SC2034 # for nosva_cases.sh
GENERATION=3 IOMMU=1
. "$(dirname "$0")/nosva_cases.sh"
