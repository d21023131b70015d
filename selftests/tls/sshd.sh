#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sshd, whose unprivileged process has a filter of system calls, and ssh. OpenSSH 9.2 uses libcrypto's older functions
# for keys, which no provider sees: there devices make digests and random numbers. OpenSSH 10.0 signs with them.
# WD_TEST_LONG=1 also takes the OpenSSH of a later Debian, in its root folder.

. "$(dirname "$0")/tls.inc.sh"
. "$(dirname "$0")/../include/sshd.sh"
need_kept_set ssh
EXCHANGES='ecdh-sha2-nistp256 curve25519-sha256 diffie-hellman-group14-sha256'

# login KIND KEY EXCHANGE CIPHER: by public key; a command there returns what it gets, 1 MB, and keeps a copy. KIND:
# stock or provided.
login() {
	"$1" with_set ssh wd-emulate --hpre 1 --sec 1 --stats client.stats -- ssh "${LOGIN[@]}" \
		-o HostKeyAlgorithms="$2" -o KexAlgorithms="$3" -c "$4" 127.0.0.1 "tee $PWD/copy" <"$WORK/keys/file" \
		>got 2>ssh.log ||
		{ cat ssh.log sshd.log; return 1; }
	same "$WORK/keys/file" copy
	same "$WORK/keys/file" got
	rm copy
}

# Whatever sshd or its monitor complains about is in the log, also the signal that has ended a process; and that
# somebody has tried whether it listens.
ends_without_a_word() {
	end_all
	not grep -v '^kex_exchange_identification: Connection closed by remote host' sshd.log
}

# Each request, however small, and all messages: what can't be done in the sandbox is tried there.
conf_for_ssh() { conf 'algorithms = pkey ciphers digests aes-ctr' 'min_bytes = 1' 'log = all'; }

test_both_have_devices() {
	local exchange

	conf_for_ssh
	sshd provided --hpre 1 --sec 1
	for exchange in $EXCHANGES; do
		login provided rsa-sha2-256 "$exchange" aes128-ctr
		login provided ecdsa-sha2-nistp256 "$exchange" aes256-gcm@openssh.com
		busy client.stats sec
	done
	ends_without_a_word
	busy sshd.stats sec
}

test_the_server_has_devices() {
	local exchange

	conf_for_ssh
	sshd provided --hpre 1 --sec 1
	for exchange in $EXCHANGES; do
		login stock rsa-sha2-512 "$exchange" aes256-ctr
	done
	ends_without_a_word
	busy sshd.stats sec
}

test_the_client_has_devices() {
	local exchange

	conf_for_ssh
	sshd stock --hpre 1 --sec 1
	for exchange in $EXCHANGES; do
		login provided ecdsa-sha2-nistp256 "$exchange" aes128-gcm@openssh.com
		busy client.stats sec
	done
	ends_without_a_word
}

# in_filter PID: a child of this sshd has loaded the provider, and its system calls are filtered.
in_filter() {
	local pid

	for pid in $(pgrep -P "$1"); do
		if grep -q '^Seccomp:.*2' "/proc/$pid/status" && grep -q warpdrive.so "/proc/$pid/maps"; then
			return 0
		fi
		! in_filter "$pid" || return 0
	done
	return 1
}

# A client that says nothing.
test_the_filter_is_on() {
	conf_for_ssh
	sshd provided --hpre 1 --sec 1
	exec 5<>"/dev/tcp/127.0.0.1/$PORT"
	read -r got <&5
	[[ $got == SSH-2.0-OpenSSH_* ]]
	echo SSH-2.0-test >&5
	until_true 20 in_filter "${started##* }"
}

test_a_later_openssh_signs_with_devices() {
	[ -n "${WD_TEST_LONG:-}" ] || skip 'only with WD_TEST_LONG=1'
	SUITE=(--suite trixie --bind "$WORK")
	conf_for_ssh
	sshd provided --hpre 1 --sec 1
	login provided rsa-sha2-256 ecdh-sha2-nistp256 aes128-ctr
	busy client.stats hpre
	login provided ecdsa-sha2-nistp256 diffie-hellman-group14-sha256 aes256-gcm@openssh.com
	busy client.stats hpre
	ends_without_a_word
	busy sshd.stats hpre
}

run_tests "$@"
