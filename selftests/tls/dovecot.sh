#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Dovecot, whose login processes do the handshakes: with a cleared environment, in another root folder, as another user
# and without more processes or threads. It knows its own files by their names in /usr: it has to be installed.

. "$(dirname "$0")/tls.inc.sh"
need_devices
[ -x /usr/lib/dovecot/imap-login ] || not_here 'Dovecot is not installed: apt-get install dovecot-imapd'
[ "$(id -u)" = 0 ] || not_here 'Dovecot wants to be started by root'

# A login process may have no thread beside its own (RLIMIT_NPROC). A device needs none there, but the emulator, which
# is the device, does.
with_threads() {
	cat >threads.c <<-'END'
		#define _GNU_SOURCE
		#include <sys/resource.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
		{
			return what == RLIMIT_NPROC ? 0 : (int)syscall(SYS_prlimit64, 0, what, limit, NULL);
		}
	END
	gcc -shared -fPIC -o "$WORK/threads.so" threads.c
}

# dovecot LINE...: with these lines more, and devices for its login processes.
dovecot() {
	certificates
	with_threads
	free_port PORT
	mkdir -p base state
	chmod 755 .
	cat >dovecot.conf <<-END
		base_dir = $PWD/base
		state_dir = $PWD/state
		log_path = $PWD/dovecot.log
		protocols = imap
		ssl = required
		ssl_cert = <$CERTS/rsa.pem
		ssl_key = <$CERTS/rsa.key
		passdb {
		  driver = static
		  args = password=secret
		}
		userdb {
		  driver = static
		  args = uid=nobody gid=nogroup home=$PWD/home
		}
		service imap-login {
		  service_count = 0
		  inet_listener imap {
		    port = 0
		  }
		  inet_listener imaps {
		    address = 127.0.0.1
		    port = $PORT
		    ssl = yes
		  }
		}
		$(printf '%s\n' "$@")
	END
	OPENSSL_CONF=$PWD/conf LD_PRELOAD=$WORK/threads.so \
		wd-emulate --user dovenull --stats "$PWD/server.stats" --hpre 1 -- \
		/usr/sbin/dovecot -F -c "$PWD/dovecot.conf" >server.log 2>&1 </dev/null &
	started="$started $!"
	trap end_all EXIT
	listening server "$PORT"
}

# logins COUNT: of connections with a greeting.
logins() {
	local i

	for ((i = 0; i < $1; i++)); do
		stock timeout 20 openssl s_client -connect "127.0.0.1:$PORT" -CAfile "$CERTS/all.pem" \
			-verify_return_error -quiet -verify_quiet <<<'a logout' >got 2>&1 ||
			{ cat got dovecot.log; return 1; }
		says 'a OK Logout completed' got
	done
}

# What the emulator needs comes with the rest: on a real device only the names of OpenSSL's variables are needed.
NAMES='TZ OPENSSL_CONF OPENSSL_MODULES LD_LIBRARY_PATH LD_PRELOAD WD_EMULATE WD_EMULATE_ROOT'

test_login_processes_have_devices() {
	conf 'fallback = no'
	dovecot "import_environment = $NAMES"
	logins 6
	devices_did server 12
}

# The default.
test_without_the_environment_there_are_none() {
	conf 'fallback = no'
	dovecot
	logins 2
	devices_did server 0
	[ "$(requests server.stats '')" = 0 ]
}

run_tests "$@"
