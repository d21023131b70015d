# SPDX-License-Identifier: Apache-2.0
# Recorded machines for wdctl --root. Code makes them, so that each line shows what it stands for.

REL=6.1.0-48-test

put() {
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "$2" >"$1"
}

# A machine with a kernel, configfs and nodes, but without any accelerator.
make_root() {
	local r=$1

	put "$r/proc/sys/kernel/osrelease" "$REL"
	put "$r/proc/mounts" "none /sys/kernel/config configfs rw 0 0"
	put "$r/sys/devices/system/node/online" "0-1"
	put "$r/boot/config-$REL" "CONFIG_MODULES=y
CONFIG_PCI=y
CONFIG_PCI_MSI=y
CONFIG_CONFIGFS_FS=m
# CONFIG_UACCE is not set"
	mkdir -p "$r/sys/class" "$r/sys/module" "$r/lib/modules/$REL" "$r/dev"
}

# add_device ROOT NAME PARENT KEY=VALUE...: a device as this project's uacce shows it, with changed attributes.
add_device() {
	local r=$1 name=$2 parent=$3 d=$1/sys/class/uacce/$2 p=$1/sys/devices/pci/$3 pair

	shift 3
	put "$p/numa_node" 0
	put "$p/vendor" 0x19e5
	put "$p/device" 0xa250
	mkdir -p "$d" "$r/sys/bus/pci/devices"
	ln -s "../../../devices/pci/$parent" "$d/device"
	ln -s "../../../devices/pci/$parent" "$r/sys/bus/pci/devices/$parent"
	ln -s "../../../bus/pci/drivers/${name%-*}" "$p/driver"
	put "$d/api" hisi_qm_v3
	put "$d/flags" 1
	put "$d/algorithms" "zlib
gzip
deflate"
	put "$d/available_instances" 256
	put "$d/dev" "240:0"
	put "$d/priority" 0
	put "$d/zone_id" 0
	put "$d/simulated" 0
	put "$d/iommu" sva-iommu
	put "$d/isolate" 0
	put "$r/dev/$name" ""
	chmod 660 "$r/dev/$name"
	for pair; do
		if [ "${pair#*=}" = gone ]; then
			rm "$d/${pair%%=*}"
		else
			put "$d/${pair%%=*}" "${pair#*=}"
		fi
	done
}

# add_mainline_device ROOT NAME PARENT [KEY=VALUE...]: as mainline's uacce shows it, before Linux 6.3.
add_mainline_device() {
	add_device "$@" priority=gone zone_id=gone simulated=gone iommu=gone isolate=gone
}

# add_shares ROOT NAME TOTAL RESERVED USED FREE QUARANTINED: a device's counts in configfs.
add_shares() {
	local d=$1/sys/kernel/config/uacce/devices/$2 name

	shift 2
	for name in total reserved used free quarantined; do
		put "$d/${name}_ctxs" "$1"
		shift
	done
}

# add_module ROOT NAME FOLDER VERSION [PARAMETER] [VERMAGIC]: a file that modinfo understands, in updates or kernel.
add_module() {
	local f=$1/lib/modules/$REL/$3/$2.ko

	mkdir -p "$(dirname "$f")"
	printf '%s\n' "#define INFO(n, s) static const char n[] __attribute__((section(\".modinfo\"), used)) = s;" \
		"INFO(a, \"version=$4\") INFO(b, \"srcversion=SRC$4\") INFO(c, \"license=GPL\") INFO(d, \"name=$2\")" \
		"INFO(e, \"depends=\")" "${5:+INFO(f, \"parm=$5:on (uint)\")}" "${6:+INFO(g, \"vermagic=$6\")}" >"$f.c"
	gcc -c -x c -o "$f" "$f.c"
	rm "$f.c"
}

# sign_module ROOT NAME SIGNER: as make install does it, with a new key.
sign_module() {
	local headers

	headers=$("$TOP/scripts/kernel" headers "$("$TOP/scripts/kernel" default)")
	openssl req -new -x509 -newkey rsa:2048 -nodes -subj "/CN=$3/" -outform DER -keyout key -out cert 2>/dev/null
	"$headers/scripts/sign-file" sha256 key cert "$1/lib/modules/$REL/updates/$2.ko"
}

# load_module ROOT NAME VERSION [TAINT]: makes the module look loaded in sysfs.
load_module() {
	put "$1/sys/module/$2/initstate" live
	put "$1/sys/module/$2/refcnt" 0
	put "$1/sys/module/$2/taint" "${4-OE}"
	put "$1/sys/module/$2/version" "$3"
	put "$1/sys/module/$2/srcversion" "SRC$3"
	mkdir -p "$1/sys/module/$2/holders"
}

install_all() {
	local m

	for m in uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim; do
		add_module "$1" $m updates 0.2.0
	done
	depmod -b "$1" "$REL"
}

load_all() {
	local m

	for m in uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim; do
		load_module "$1" $m 0.2.0
	done
}

# golden FILE: FILE must equal standard input.
golden() {
	diff -u - "$1"
}

# sec_device ROOT: adds a simulated SEC device.
sec_device() {
	add_device "$1" hisi_sec2-0 0001:00:00.0 simulated=1 "algorithms=cipher
digest
aead"
}

# crypto HASH [FIPS]...: makes the kernel show these algorithms; FIPS is the state of the last one.
crypto() {
	local name

	for name; do
		case $name in
		yes|no) printf 'fips         : %s\n' "$name" ;;
		*) printf '\nname         : %s\ndriver       : %s-generic\ntype         : shash\n' "$name" "$name" ;;
		esac
	done
}
