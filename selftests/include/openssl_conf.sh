# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by tests with the provider of OpenSSL.

# openssl_conf [LINE...]: the file conf, an OpenSSL configuration with these lines for the provider. Devices are given
# all of pkey, unless a line says otherwise: by default P-256 and X25519 are theirs in asynchronous jobs only.
openssl_conf() {
	cat >conf <<-END
		openssl_conf = init
		[init]
		providers = providers
		alg_section = algorithms
		[algorithms]
		default_properties = ?provider=warpdrive,?warpdrive.device=yes
		[providers]
		default = default_section
		warpdrive = warpdrive_section
		[default_section]
		activate = 1
		[warpdrive_section]
		activate = 1
		algorithms = pkey
	END
	printf '%s\n' "$@" >>conf
}
