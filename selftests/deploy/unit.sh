#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl export systemd-dropin and k8s, and wdctl doctor --unit, with a systemctl of ours.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../tools/machine.sh"

# unit PROPERTY...: what systemd says about each unit from here on, beside what an ordinary unit has.
unit() {
	mkdir -p bin
	{
		printf '#!/bin/sh\necho "$*" >>asked\ncat <<END\n'
		printf '%s\n' LoadState=loaded User= SupplementaryGroups= DynamicUser=no PrivateDevices=no \
			PrivateUsers=no DevicePolicy=auto RestrictAddressFamilies= SystemCallFilter= RootDirectory= \
			RootImage= MountAPIVFS=no ProtectKernelTunables=no Environment= ControlGroup=
		[ $# = 0 ] || printf '%s\n' "$@"
		echo END
	} >bin/systemctl
	chmod +x bin/systemctl
	[[ $PATH == "$PWD/bin":* ]] || PATH=$PWD/bin:$PATH
}

w() {
	LD_PRELOAD=$FAKE wdctl "$@" --root r
}

sections() {
	machine
	printf 'accel:x:57:\n' >>r/etc/group
	printf 'haproxy:x:120:120::/:/bin/sh\n' >>r/etc/passwd
	printf '%s\n' "[web] NumProcesses = 3 Devices = $PARENT1" '[off] Live = no' | w apply - >/dev/null
}

lines() {
	grep -v '^#' | diff -u - "$1"
}

test_an_unrestricted_unit_keeps_its_other_devices() {
	sections
	unit
	w export systemd-dropin web nginx.service >got
	grep -v '^#' got >have
	lines have <<-'END'
		[Unit]
		Wants=warpdrive-sections.service
		After=warpdrive-sections.service

		[Service]
		Environment=WD_SECTION=web
		SupplementaryGroups=accel
		PrivateDevices=no
	END
	says 'show --property=' asked
	says '-- nginx.service' asked
}

test_a_restricted_unit_gets_what_it_lacks() {
	sections
	unit PrivateDevices=yes DevicePolicy=closed 'RestrictAddressFamilies=AF_INET AF_UNIX' \
		'SystemCallFilter=openat mmap munmap poll ppoll socket bind setsockopt sendmsg recvmsg futex'
	w export systemd-dropin web x | grep -v '^#' >have
	lines have <<-'END'
		[Unit]
		Wants=warpdrive-sections.service
		After=warpdrive-sections.service

		[Service]
		Environment=WD_SECTION=web
		SupplementaryGroups=accel
		PrivateDevices=no
		DevicePolicy=closed
		DeviceAllow=char-uacce rw
		RestrictAddressFamilies=AF_NETLINK
		SystemCallFilter=ioctl
	END
	unit 'DeviceAllow=/dev/null rw'
	w export systemd-dropin web x | grep -x 'DeviceAllow=char-uacce rw'
	unit 'RestrictAddressFamilies=~AF_PACKET AF_NETLINK' 'SystemCallFilter=~reboot ioctl:EPERM'
	w export systemd-dropin web x >have
	says 'RestrictAddressFamilies=AF_NETLINK' have
	says 'SystemCallFilter=ioctl' have
	unit 'RestrictAddressFamilies=~AF_PACKET'
	w export systemd-dropin web x >have
	not grep '^Restrict' have
}

test_a_user_gets_a_rule_for_udev() {
	sections
	unit
	w export systemd-dropin web haproxy --user haproxy | grep -v '^#' >have
	lines have <<-'END'
		ACTION!="remove", SUBSYSTEM=="uacce", RUN+="/bin/setfacl -m u:haproxy:rw /dev/%k"
	END
	exits 1 w export systemd-dropin web haproxy --user nobody-has-it 2>err
	says '--user nobody-has-it: no such user' err
	exits 1 w export systemd-dropin web haproxy --user 'a"b' 2>err
}

test_unknown_sections_and_units_are_refused() {
	sections
	unit LoadState=not-found
	exits 1 w export systemd-dropin web none 2>err
	says 'unit none: systemd has none of this name' err
	exits 1 w export systemd-dropin nope x 2>err
	says 'nope: no such section, neither in the kernel nor in /etc/warpdrive/sections.conf' err
	put r/etc/warpdrive/sections.conf '[nope]'
	unit
	w export systemd-dropin nope x >got
	exits 2 w export systemd-dropin web 2>err
	says 'systemd-dropin: expected SECTION UNIT' err
	exits 2 w export systemd-dropin a/b x 2>err
	says "not 'a/b'" err
	exits 2 w export systemd-dropin web 'x y' 2>err
	exits 2 w export systemd-dropin web --root r 2>err
	printf '#!/bin/sh\necho "System has not been booted with systemd" >&2\nexit 1\n' >bin/systemctl
	exits 1 w export systemd-dropin web x 2>err
	says 'systemctl show x: System has not been booted with systemd' err
}

test_doctor_names_what_keeps_devices_away() {
	unit PrivateDevices=yes DevicePolicy=closed RestrictAddressFamilies=AF_UNIX RootDirectory=/srv \
		PrivateUsers=yes 'SystemCallFilter=~ioctl' ProtectKernelTunables=yes User=nobody-has-it \
		Environment='A=b WD_SECTION=no-such'
	exits 1 wdctl doctor --unit x >got
	says 'x: PrivateDevices=yes: its /dev has no accelerators' got
	says 'x: RestrictAddressFamilies= keeps netlink away' got
	says 'x: SystemCallFilter= keeps away system calls' got
	says 'SystemCallFilter=ioctl' got
	says 'x: RootDirectory= or RootImage=' got
	says 'x: PrivateUsers=yes' got
	says 'ProtectKernelTunables=yes makes /sys read-only, which is enough' got
	says "x: its user nobody-has-it doesn't exist" got
	says "its section no-such doesn't exist" got
	says '7 problems' got
	wdctl doctor --unit x --json | python3 -c 'import json, sys; assert json.load(sys.stdin)["problems"] == 7' ||
		[ "${PIPESTATUS[0]}" = 1 ]
	unit 'DeviceAllow=/dev/null rw' DynamicUser=yes
	exits 1 wdctl doctor --unit x >got
	says "DevicePolicy= or DeviceAllow= doesn't let it open accelerators" got
	says 'DynamicUser=yes: its number changes' got
	unit 'DeviceAllow=char-uacce rw' DevicePolicy=closed
	wdctl doctor --unit x >got
	says 'x: it may open accelerators' got
	says 'no WD_SECTION in Environment=, so it uses the free pool' got
	unit LoadState=not-found
	exits 1 wdctl doctor --unit x >got
	says 'unit x: systemd has none of this name' got
	exits 2 wdctl doctor --unit x --root . 2>err
	says '--unit: expected without --root' err
}

test_the_fragments_for_kubernetes_are_yaml_with_the_right_fields() {
	sections
	w export k8s --section web >got
	python3 - <<-'END'
		import json, re, yaml
		args, pod, cdi = yaml.safe_load_all(open("got"))
		domain, flag, device = args["args"]
		assert flag == "--device" and domain == "--domain=warpdrive", args
		assert json.loads(device) == {"name": "wd-web", "groups": [
		    {"count": 3, "paths": [{"path": "/dev/hisi_zip-1"}]}]}, device
		spec = pod["spec"]
		assert spec["securityContext"] == {"supplementalGroups": [57]}, spec
		container, = spec["containers"]
		assert set(container) <= {"name", "image", "env", "resources", "command", "args"}, container
		assert container["env"] == [{"name": "WD_SECTION", "value": "web"}], container
		(resource, count), = container["resources"]["limits"].items()
		assert (resource, count) == ("warpdrive/wd-web", 1), resource
		prefix, name = resource.split("/")
		assert re.fullmatch("[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?", name) and len(name) < 64, name
		assert re.fullmatch(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", prefix), prefix
		assert cdi == {"cdiDevices": [{"name": "warpdrive/section=web"}]}, cdi
	END
	exits 1 w export k8s --section none 2>err
	says 'none: no such section' err
	exits 1 w export k8s --section off 2>err
	says 'off: expected a live section' err
	exits 2 w export k8s 2>err
	says 'k8s: expected --section NAME' err
	printf '%s\n' '[a-]' '[gone]' 'Devices = 0fff:0f:00.0' '[_123]' '[true]' | w apply - >/dev/null
	exits 1 w export k8s --section a- 2>err
	says 'a name in Kubernetes ends with a letter or digit' err
	exits 1 w export k8s --section gone 2>err
	says 'gone: none of its devices is present' err
	# Words that YAML would take for something else, and names that CDI lacks.
	w export k8s --section true >got
	python3 -c '
import yaml
args, pod, cdi = yaml.safe_load_all(open("got"))
assert pod["spec"]["containers"][0]["env"][0]["value"] == "true", pod'
	w export k8s --section _123 >got
	not grep cdiDevices got
	sed -i /accel/d r/etc/group
	exits 1 w export k8s --section web 2>err
	says "group accel doesn't exist" err
}

run_tests "$@"
