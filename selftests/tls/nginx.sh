#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nginx with two worker processes, whose private keys are devices'.

. "$(dirname "$0")/tls.inc.sh"
need_set web

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
			client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
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

# nginx OPTION...: with devices by these options.
nginx() {
	nginx_conf
	provided start nginx web "$@" -- nginx -p "$PWD" -c nginx.conf -g "$USER_LINE"
	listening nginx "$PORT"
}
USER_LINE=
[ "$(id -u)" != 0 ] || USER_LINE='user nobody nogroup;'

test_both_certificates_are_served() {
	conf 'fallback = no'
	nginx --hpre 1
	stock with_set web curl -sS --cacert "$CERTS/all.pem" "https://localhost:$PORT/" >got
	says hello got
}

run_tests "$@"
