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

test_4_nginx_by_the_guide_works_on_a_device() {
	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 30 -keyout /etc/nginx/key \
		-out /etc/nginx/cert
	cat >/etc/nginx/nginx.conf <<-END
		user www-data;
		pid /run/nginx.pid;
		worker_processes 2;
		events {}
		http {
			server {
				listen 127.0.0.1:4433 ssl;
				ssl_certificate /etc/nginx/cert;
				ssl_certificate_key /etc/nginx/key;
				return 200 hello;
			}
		}
	END
	wdctl export openssl >/etc/nginx/openssl.cnf
	mkdir -p /etc/systemd/system/nginx.service.d
	printf '%s\n' '[Service]' 'Environment=OPENSSL_CONF=/etc/nginx/openssl.cnf' 'PrivateDevices=yes' \
		>/etc/systemd/system/nginx.service.d/10-site.conf
	wdctl section set web NumProcesses=8 AllowedUsers=www-data,root >/dev/null
	bash "$GUIDE" >got 2>&1 || { cat got; journalctl -u nginx | tail; false; }
	says 'its section web is live' got
	says 'no problems' got
	for i in 1 2 3 4; do
		echo | openssl s_client -connect 127.0.0.1:4433 -quiet >/dev/null 2>&1 || :
	done
	# The worker's queue for the certificate's key, with requests that are done.
	wdctl ctx >ctx
	[ "$(awk '/^hisi_hpre/ && $4 == "nginx" && $NF > 0' ctx | wc -l)" -ge 1 ] ||
		{ cat ctx got; journalctl -u nginx | tail; false; }
	systemctl stop nginx
}

cd "$TOP" || exit
run_tests "${@:2}"
