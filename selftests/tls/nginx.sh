#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nginx with two worker processes, whose private keys are devices'.

. "$(dirname "$0")/tls.inc.sh"
need_set web

FEW=25 RELOADS=3
[ -z "${WD_TEST_LONG:-}" ] || FEW=500 RELOADS=30

# The configuration for two workers, in this folder.
nginx_conf() {
	certificates
	free_port PORT
	cat >nginx.conf <<-END
		pid nginx.pid;
		daemon off;
		worker_processes 2;
		error_log stderr;
		events {}
		http {
			client_body_temp_path t; proxy_temp_path t;
			fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
			access_log off;
			ssl_protocols TLSv1.2 TLSv1.3;
			server {
				listen 127.0.0.1:$PORT ssl;
				ssl_certificate $CERTS/rsa.pem;
				ssl_certificate_key $CERTS/rsa.key;
				ssl_certificate $CERTS/ec.pem;
				ssl_certificate_key $CERTS/ec.key;
				location / { return 200 "hello\n"; }
			}
		}
	END
}

# serve OPTION...: with devices by these options.
serve() {
	nginx_conf
	provided start nginx web "$@" -- nginx -p "$PWD" -c nginx.conf -g "$USER_LINE"
	listening nginx "$PORT"
}
USER_LINE=
[ "$(id -u)" != 0 ] || USER_LINE='user nobody nogroup;'

test_full_handshakes() {
	local version

	conf 'fallback = no'
	serve --hpre 1
	for version in TLSv1.2 TLSv1.3; do
		handshakes "$FEW" "MinProtocol = $version" "MaxProtocol = $version" "$WITH_RSA" 'Groups = X25519'
		handshakes "$FEW" "MinProtocol = $version" "MaxProtocol = $version" "$WITH_EC" 'Groups = P-256'
	done
	# The key's part, and two for the agreement on a secret.
	devices_did nginx $((4 * FEW * 3))
}

test_curl_verifies() {
	conf 'fallback = no'
	serve --hpre 1
	stock with_set web curl -sS --cacert "$CERTS/all.pem" "https://localhost:$PORT/" >got
	says hello got
	devices_did nginx 3
}

# The workers' own word: nginx's log of errors names each handshake that failed.
no_complaint() {
	not grep -F 'SSL_do_handshake() failed' nginx.log
	not grep -E 'stale|exited on signal' nginx.log
}

# unnoticed FAULT [LINE...]: handshakes while devices have that fault, and the provider those lines.
unnoticed() {
	conf 'timeout_ms = 50' "${@:2}"
	serve --hpre 1 --fault "$1"
	handshakes "$FEW" "$WITH_RSA" 'Groups = X25519'
	handshakes "$FEW" "$WITH_EC" 'Groups = P-256'
	no_complaint
	devices_did nginx 4
}

# unnoticed_with_fallback FAULT [LINE...]: without libcrypto's help clients do notice.
unnoticed_with_fallback() {
	unnoticed "$@"
	conf 'timeout_ms = 50' 'fallback = no' "${@:2}"
	serve --hpre 1 --fault "$1"
	not handshakes "$FEW" "$WITH_RSA" 'Groups = X25519' >got
	not handshakes "$FEW" "$WITH_EC" 'Groups = P-256' >>got
	says 'warpdrive: ' nginx.log
}

test_nobody_notices_a_device_that_fails() { unnoticed_with_fallback fail=1000000; }
test_nobody_notices_answers_that_do_not_come() { unnoticed_with_fallback drop=1/5; }
test_nobody_notices_a_device_that_disappears() { unnoticed_with_fallback remove=1/20; }
test_nobody_notices_wrong_signatures() {
	local lines=('algorithms = rsa ecdsa' 'check_results = all')

	unnoticed corrupt=1/3 "${lines[@]}"
	# Behind three wrong results in a row, libcrypto works alone for a minute: the first ones show.
	conf 'fallback = no' "${lines[@]}"
	serve --hpre 1 --fault corrupt=1/3
	not handshakes "$FEW" "$WITH_RSA" 'Groups = X25519' >got
	says 'warpdrive: ' nginx.log
}
# libwd repeats what a reset has ended.
test_nobody_notices_resets() { unnoticed error=1/20; }

# Of the master, which is a child of wd-emulate.
worker_pids() { children "$(cat nginx.pid)"; }
has_new_workers() { [ "$(worker_pids | grep -cvxFf before)" = 2 ]; }
no_old_workers() { ! worker_pids | grep -xFf before >/dev/null; }

test_reloads_under_load() {
	local load round

	conf 'fallback = no'
	serve --hpre 1
	handshakes "$FEW" -- "$PWD/enough" >got &
	load=$!
	for ((round = 0; round < RELOADS; round++)); do
		worker_pids >before
		kill -HUP "$(cat nginx.pid)"
		until_true 20 has_new_workers
		until_true 20 no_old_workers
	done
	touch enough
	wait $load || { cat got nginx.log; return 1; }
	no_complaint
}

run_tests "$@"
