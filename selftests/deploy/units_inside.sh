# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run in a stock machine by units_machine.sh: SCRIPT

. selftests/include/tap.sh
BUILD=${BUILD:-$TOP/build}
# The guide's commands for a machine, as a script: there is no Python here.
GUIDE=$1

install_here() {
	cp -a "$OUT"/bin/wd* /usr/local/bin/
	cp -a "$OUT"/lib/*.so* /usr/local/lib/
	cp -a "$OUT"/ossl-modules /usr/local/lib/
	ldconfig
	mkdir -p /etc/sysusers.d
	wdctl export sysusers >/etc/sysusers.d/warpdrive.conf
	systemd-sysusers
	wdctl export udev >/etc/udev/rules.d/60-warpdrive.rules
	wdctl export systemd-cdi --program /usr/local/bin/wdctl >/etc/systemd/system/warpdrive-cdi.service
	wdctl export systemd-cdi-path >/etc/systemd/system/warpdrive-cdi.path
	wdctl export systemd --program /usr/local/bin/wdctl >/etc/systemd/system/warpdrive-sections.service
	udevadm control --reload
	systemctl daemon-reload
	wdctl load --from "$BUILD/kmod/$(uname -r)" --sim zip,zip,hpre
	udevadm settle
}

names() {
	sed -n 's/^ *"name":"\(.*\)",$/\1/p' /run/cdi/warpdrive.json | xargs
}

has_names() {
	[ "$(names 2>/dev/null)" = "$1" ]
}

# gets_names NAMES: soon; or else with the reason.
gets_names() {
	until_true 30 has_names "$1" || {
		systemctl status --no-pager warpdrive-cdi.path warpdrive-cdi.service
		ls -l /run/cdi /run/wdctl.changed
		names
		false
	}
}

# A unit that compresses on a device or fails, with these lines of settings.
unit() {
	{
		printf '%s\n' '[Service]' 'Type=oneshot' 'User=www-data' 'Environment=WD_PATH=hw' \
			'ExecStart=/bin/sh -c "wdzip -c /bin/bash | gzip -t"' "$@"
	} >/etc/systemd/system/try.service
	rm -rf /etc/systemd/system/try.service.d
	systemctl daemon-reload
}

test_1_the_file_for_containers_follows_changes() {
	install_here
	systemctl enable -q --now warpdrive-cdi.path
	mkdir -p /etc/warpdrive
	printf '%s\n' '[web]' 'NumProcesses = 4' 'AllowedUsers = www-data' '[zip]' 'Devices = hisi_zip-1' \
		>/etc/warpdrive/sections.conf
	wdctl apply /etc/warpdrive/sections.conf
	gets_names 'web zip'
	wdctl section revoke zip
	gets_names web
	# Changes while the service runs.
	for i in $(seq 20); do
		wdctl section live zip >/dev/null
		wdctl section revoke zip >/dev/null
	done
	wdctl section live zip >/dev/null
	gets_names 'web zip'
	sleep 2
	has_names 'web zip'
	# A device that goes, and comes.
	before=$(grep -c hisi_zip-1 /run/cdi/warpdrive.json)
	parent=$(basename "$(readlink /sys/class/uacce/hisi_zip-1/device)")
	echo "$parent" >/sys/bus/pci/drivers/hisi_zip/unbind
	until_true 30 sh -c '! grep hisi_zip-1 /run/cdi/warpdrive.json'
	echo "$parent" >/sys/bus/pci/drivers/hisi_zip/bind
	until_true 30 sh -c "[ \$(grep -c hisi_zip- /run/cdi/warpdrive.json) -ge $before ]"
	[ -z "$(systemctl --failed --no-legend warpdrive-cdi.service)" ]
	udevadm settle
}

test_2_the_doctor_names_what_the_drop_in_mends() {
	local settings

	for settings in PrivateDevices=yes DevicePolicy=closed RestrictAddressFamilies=AF_UNIX \
		SystemCallFilter=~ioctl; do
		unit $settings
		not systemctl start try
		exits 1 wdctl doctor --unit try >got
		says "${settings%%=*}" got
		mkdir -p /etc/systemd/system/try.service.d
		wdctl export systemd-dropin web try >/etc/systemd/system/try.service.d/warpdrive.conf
		systemctl daemon-reload
		systemctl start try || { journalctl -u try; cat /etc/systemd/system/try.service.d/*; false; }
		wdctl doctor --unit try >got || { cat got; false; }
		says 'its section web is live' got
	done
	# Without restrictions only the user is in the way.
	unit
	exits 1 wdctl doctor --unit try >got
	says "its user www-data can't open /dev/hisi" got
	# A user that the section doesn't allow.
	unit User=nobody Environment=WD_SECTION=web SupplementaryGroups=accel
	exits 1 wdctl doctor --unit try >got
	says "section web doesn't allow its user nobody" got
}

test_3_a_process_that_leaves_its_groups_is_named() {
	unit
	sed -i 's|^ExecStart=.*|ExecStart=setpriv --reuid www-data --regid www-data --clear-groups sleep 1000|
		s/^Type=.*/Type=exec/; s/^User=.*/User=root/' /etc/systemd/system/try.service
	systemctl daemon-reload
	systemctl start try
	until_true 30 sh -c 'wdctl doctor --unit try | grep "it has left the groups"'
	wdctl export systemd-dropin web try --user www-data >/etc/udev/rules.d/61-try.rules
	udevadm control --reload
	udevadm trigger --subsystem-match=uacce
	udevadm settle
	getfacl -p /dev/hisi_zip-0 | grep user:www-data:rw-
	wdctl doctor --unit try >got || { cat got; false; }
	systemctl stop try
	rm /etc/udev/rules.d/61-try.rules
}

certificate() {
	[ -e /etc/ssl/site.cert ] ||
		openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 30 -keyout /etc/ssl/site.key \
			-out /etc/ssl/site.cert
	wdctl export openssl >/etc/ssl/warpdrive.cnf
}

# requests: how many the devices for keys have done.
requests() {
	wdctl metrics | awk '/^warpdrive_requests_total{device="hisi_hpre/ { n += $2 } END { print n + 0 }'
}

# handshakes PORT PROGRAM: each takes the certificate's key, on a queue of the program.
handshakes() {
	local before i

	before=$(requests)
	for i in 1 2 3 4; do
		echo | openssl s_client -connect "127.0.0.1:$1" >client 2>&1 || :
		says 'BEGIN CERTIFICATE' client
	done
	wdctl ctx >ctx
	[ "$(awk -v program="$2" '/^hisi_hpre/ && $4 == program { n += $NF } END { print n + 0 }' ctx)" -ge 4 ] &&
		[ "$(requests)" -ge $((before + 4)) ] || {
		cat ctx
		requests
		journalctl -u "$2" | tail
		false
	}
}

test_4_nginx_by_the_guide_works_on_a_device() {
	certificate
	cat >/etc/nginx/nginx.conf <<-END
		user www-data;
		pid /run/nginx.pid;
		worker_processes 2;
		events {}
		http {
			server {
				listen 127.0.0.1:4433 ssl;
				ssl_certificate /etc/ssl/site.cert;
				ssl_certificate_key /etc/ssl/site.key;
				return 200 hello;
			}
		}
	END
	mkdir -p /etc/systemd/system/nginx.service.d
	printf '%s\n' '[Service]' 'Environment=OPENSSL_CONF=/etc/ssl/warpdrive.cnf' 'PrivateDevices=yes' \
		>/etc/systemd/system/nginx.service.d/10-site.conf
	wdctl section set web NumProcesses=8 AllowedUsers=www-data,root >/dev/null
	bash "$GUIDE" >got 2>&1 || { cat got; journalctl -u nginx | tail; false; }
	says 'its section web is live' got
	says 'no problems' got
	handshakes 4433 nginx
	systemctl stop nginx
}

# Debian's own configuration, with a port for TLS: the worker is in an empty root folder, and in no group but one.
test_5_haproxy_in_its_chroot_works_on_a_device() {
	local pid

	certificate
	cat /etc/ssl/site.cert /etc/ssl/site.key >/etc/haproxy/site.pem
	cat >>/etc/haproxy/haproxy.cfg <<-END

		frontend tls
			bind 127.0.0.1:4434 ssl crt /etc/haproxy/site.pem
			http-request return status 200 content-type text/plain string hello
	END
	grep -E '^\s*chroot /var/lib/haproxy$' /etc/haproxy/haproxy.cfg
	mkdir -p /etc/systemd/system/haproxy.service.d
	printf '%s\n' '[Service]' 'Environment=OPENSSL_CONF=/etc/ssl/warpdrive.cnf' \
		>/etc/systemd/system/haproxy.service.d/10-site.conf
	wdctl section set web NumProcesses=8 AllowedUsers=www-data,root,haproxy >/dev/null
	sed 's/nginx/haproxy/g; s/www-data/haproxy/g' "$GUIDE" >script
	bash script >got 2>&1 || { cat got; journalctl -u haproxy | tail; false; }
	says 'its section web is live' got
	says 'no problems' got
	pid=$(pgrep -u haproxy -x haproxy)
	[ "$(readlink /proc/$pid/root)" = /var/lib/haproxy ]
	grep -E "^Groups:\s*($(id -g haproxy))?\s*$" /proc/$pid/status
	handshakes 4434 haproxy
	systemctl stop haproxy
}

metrics_file=/var/lib/prometheus/node-exporter/warpdrive.prom

is_newer() { [ $metrics_file -nt "$1" ]; }

get() {
	exec {get}<>/dev/tcp/127.0.0.1/9760
	printf 'GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n' >&$get
	cat <&$get
	exec {get}>&-
}

test_6_units_of_metrics_answer() {
	local unit i

	for unit in metrics-socket:warpdrive-metrics.socket metrics-http:warpdrive-metrics@.service \
		metrics-file:warpdrive-textfile.service metrics-timer:warpdrive-textfile.timer; do
		wdctl export ${unit%%:*} --program /usr/local/bin/wdctl >/etc/systemd/system/${unit#*:}
	done
	systemctl daemon-reload
	mkdir -p ${metrics_file%/*}
	systemctl enable -q --now warpdrive-textfile.timer warpdrive-metrics.socket
	until_true 60 test -e $metrics_file
	says 'warpdrive_up 1' $metrics_file
	# Root wrote it, so the counts for an administrator are there; and again 15 seconds later.
	grep '^warpdrive_requests_total{device="hisi_zip-0"}' $metrics_file
	[ "$(stat -c '%U %a' $metrics_file)" = 'root 644' ]
	touch now
	until_true 120 is_newer now
	get >got
	grep '^HTTP/1.1 200' got
	says 'warpdrive_up 1' got
	says 'warpdrive_device_info{device="hisi_zip-0"' got
	not grep '^warpdrive_requests_total' got
	# Clients that say nothing are gone after some seconds, and leave nothing that failed.
	for i in {1..20}; do
		exec {fd}<>/dev/tcp/127.0.0.1/9760
	done
	get | grep '^HTTP/1.1 200'
	until_true 120 sh -c '! systemctl --no-legend list-units "warpdrive-metrics@*" | grep .'
	[ -z "$(systemctl --failed --no-legend 'warpdrive-*')" ]
	systemctl disable -q --now warpdrive-textfile.timer warpdrive-metrics.socket
}

cd "$TOP" || exit
run_tests "${@:2}"
