# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# HAProxy with its jobs; sourced after tls.inc.sh.

# JOBS: how handshakes wait for devices; empty: each keeps its thread.
JOBS=ssl-mode-async

haproxy_conf() {
	certificates
	free_port PORT
	cat "$CERTS/rsa.pem" "$CERTS/rsa.key" >site.pem.rsa
	cat "$CERTS/ec.pem" "$CERTS/ec.key" >site.pem.ecdsa
	cat >haproxy.cfg <<-END
		global
			nbthread 2
			maxconn 1000
			$JOBS
			ssl-default-bind-options ssl-min-ver TLSv1.2
		defaults
			mode http
			log stderr format raw daemon
			option dontlog-normal
			error-log-format "%[fc_err_str]: %[ssl_fc_err_str]"
			timeout client 30s
			timeout server 30s
			timeout connect 30s
		frontend tls
			bind 127.0.0.1:$PORT ssl crt $PWD/site.pem.rsa crt $PWD/site.pem.ecdsa
			http-request return status 200 content-type text/plain string "hello"
	END
}

# serve OPTION...: a master and its worker, with devices by these options.
serve() {
	haproxy_conf
	provided start haproxy web "$@" -- haproxy -W -db -p haproxy.pid -f haproxy.cfg
	listening haproxy "$PORT"
}

# ends_softly: HAProxy waits for what is in flight, and then ends. A job that nobody wakes would be in its way.
ends_softly() {
	sent=0
	until_true 20 has_softly_ended
	not grep -iE 'alert|exited with code [1-9]' haproxy.log
}

# A master that is still loading may lose a signal.
has_softly_ended() {
	! has_ended || return 0
	[ $((sent++ % 100)) != 0 ] || kill -USR1 "$(cat haproxy.pid)"
	return 1
}

# vanish COUNT: clients that go away in the middle of a handshake.
vanish() { python3 "$TOP/selftests/tls/client.py" "$PORT" "$1" 32 vanish; }
