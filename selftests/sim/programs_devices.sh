# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A simulated device of each engine, of generation GENERATION, and the programs that use it. Sourced.

ROOT=/sys/kernel/config/hisi_sim
CLASS=/sys/class/uacce
ENGINES='zip sec hpre'
# wdctl tries to load the libraries.
export LD_LIBRARY_PATH=$OUT/lib OPENSSL_MODULES=$OUT/ossl-modules

there() { compgen -G "/dev/$1-*" >/dev/null; }

# node ENGINE: the name of its device.
node() { basename "$(compgen -G "$CLASS/$1-*")"; }

# devices PREFIX [ATTRIBUTE=VALUE]...: a device of each engine, by the drivers that are loaded.
devices() {
	local engine module attribute

	for engine in $ENGINES; do
		mkdir "$ROOT/$1_$engine"
		for attribute in type=$engine generation=$GENERATION "${@:2}" live=1; do
			echo "${attribute#*=}" >"$ROOT/$1_$engine/${attribute%%=*}"
		done
	done
	for module in hisi_zip hisi_sec2 hisi_hpre; do
		until_true 60 there $module
	done
}
