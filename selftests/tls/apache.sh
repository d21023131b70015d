#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Apache with the event module, whose processes have many threads, and which replaces them gracefully.

. "$(dirname "$0")/tls.inc.sh"
need_set web

FEW=40 RESTARTS=2
[ -z "${WD_TEST_LONG:-}" ] || FEW=1000 RESTARTS=20

# Apache's children have another user than root.
apache_conf() {
	local modules

	certificates
	free_port PORT
	mkdir -p htdocs
	echo hello >htdocs/index.html
	# shellcheck disable=SC2016 # a variable of the sets' programs
	modules=$(with_set web sh -c 'echo "$WARPDRIVE_PROGRAMS/usr/lib/apache2/modules"')
	printf "LoadModule %s_module $modules/mod_%s.so\n" mpm_event mpm_event authz_core authz_core dir dir ssl ssl \
		>apache.conf
	[ "$(id -u)" != 0 ] || printf '%s\n' 'User nobody' 'Group nogroup' >>apache.conf
	cat >>apache.conf <<-END
		ServerRoot $PWD
		ServerName localhost
		PidFile apache.pid
		ErrorLog $PWD/error.log
		LogLevel warn
		Mutex file:$PWD
		Listen 127.0.0.1:$PORT
		StartServers 2
		ThreadsPerChild 8
		MaxRequestWorkers 32
		DocumentRoot $PWD/htdocs
		SSLEngine on
		SSLProtocol -all +TLSv1.2 +TLSv1.3
		SSLCertificateFile $CERTS/rsa.pem
		SSLCertificateKeyFile $CERTS/rsa.key
		SSLCertificateFile $CERTS/ec.pem
		SSLCertificateKeyFile $CERTS/ec.key
	END
}

# serve OPTION...: with devices by these options.
serve() {
	apache_conf
	provided start apache web "$@" -- apache2 -D FOREGROUND -f "$PWD/apache.conf"
	listening apache "$PORT"
}

test_full_handshakes() {
	conf 'fallback = no'
	serve --hpre 1
	handshakes "$FEW" "$WITH_RSA" 'Groups = X25519'
	handshakes "$FEW" "$WITH_EC" 'Groups = P-256' 'MaxProtocol = TLSv1.2'
	devices_did apache $((2 * FEW * 3))
}

# Apache writes this line when its new processes are about to take over.
restarted() { [ "$(grep -c 'resuming normal operations' error.log)" -gt "$1" ]; }
none_of_before() { ! children "$(cat apache.pid)" | grep -xFf before >/dev/null; }

test_graceful_restarts_under_load() {
	local load round

	conf 'fallback = no'
	serve --hpre 1
	until_true 20 restarted 0
	handshakes "$FEW" -- "$PWD/enough" >got &
	load=$!
	for ((round = 1; round <= RESTARTS; round++)); do
		children "$(cat apache.pid)" >before
		kill -USR1 "$(cat apache.pid)"
		until_true 20 restarted $round
		until_true 20 none_of_before
	done
	touch enough
	wait $load || { cat got error.log; return 1; }
	not grep -E 'ssl:error|exit signal' error.log
	devices_did apache $((FEW * 3))
}

test_nobody_notices_a_device_that_disappears() {
	conf 'timeout_ms = 50'
	serve --hpre 1 --fault remove=1/20
	handshakes "$FEW" "$WITH_RSA"
	end_all
	conf 'timeout_ms = 50' 'fallback = no'
	serve --hpre 1 --fault remove=1/20
	not handshakes "$FEW" "$WITH_RSA" >got
}

run_tests "$@"
