# SPDX-License-Identifier: Apache-2.0
# Included by defs.mk for ARCH=arm64: the compiler, and the root folder that has the libraries.

CROSS_SUFFIX := -$(BUILD_FOR)
CROSS_COMPILE ?= aarch64-linux-gnu-
ifeq ($(shell command -v $(CROSS_COMPILE)gcc),)
$(error ARCH=$(BUILD_FOR): $(CROSS_COMPILE)gcc is missing; 'scripts/deps cross' installs it)
endif
# Passed on to the makes of other folders, so that it is determined once.
ifeq ($(SYSROOT),)
SYSROOT := $(shell $(TOP)/scripts/userland $(BUILD_FOR))
endif
ifeq ($(wildcard $(SYSROOT)/usr/include),)
$(error ARCH=$(BUILD_FOR): no root folder with its libraries: 'scripts/userland $(BUILD_FOR)' says why)
endif
export SYSROOT

# A variable of the environment or of the command line wins, but make's own cc does not.
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc --sysroot=$(SYSROOT)
endif
ifeq ($(origin AR),default)
AR := $(CROSS_COMPILE)ar
endif
# make's own $(shell) has no exported variables, so pkg-config gets its variables with the command.
PKG_CONFIG ?= env PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
	PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config
export PKG_CONFIG
