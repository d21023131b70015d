#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs of others under wd-zstd: their results are read by zstd and by themselves, and devices took part.

. "$(dirname "$0")/../include/programs.sh"

unset SOURCE_DATE_EPOCH

# on_devices COMMAND...: with two devices; each process appends a line to the file did.
on_devices() { WD_ZSTD_STATS=$PWD/did with_set zstd wd-emulate --zip 2 -- wd-zstd -- "$@"; }

on_none() { WD_ZSTD_STATS=$PWD/did with_set zstd wd-zstd -- "$@"; }

# took_part [PROGRAM]: devices found matches for it.
took_part() {
	awk -v program="${1:+program=$1}" 'program == "" || $1 == program {
		for (i = 1; i <= NF; i++)
			if ($i ~ /^device_bytes=/)
				n += substr($i, 14)
	} END { exit n == 0 }' did || {
		sed 's/^/# /' did
		return 1
	}
	rm did
}

# Text and programs, 8 MB.
folder() {
	mkdir -p folder
	cp /usr/bin/bash /usr/bin/openssl folder
	seq 400000 >folder/text
}

test_bsdtar() {
	folder
	on_devices bsdtar --zstd -cf t.tar.zst folder
	took_part
	zstd -qdc t.tar.zst | tar -x --transform 's,^folder,back,'
	diff -r folder back
	on_none bsdtar --zstd -cf n.tar.zst folder
	with_set zstd bsdtar --zstd -cf s.tar.zst folder
	same s.tar.zst n.tar.zst
}

test_mksquashfs() {
	folder
	on_devices mksquashfs folder image -comp zstd -Xcompression-level 3 -no-progress -quiet
	took_part
	with_set zstd unsquashfs -q -n -d back image
	diff -r folder back
}

test_python_zstandard() {
	seq 400000 >text
	on_devices python3 -c 'import zstandard
data = open("text", "rb").read()
packed = zstandard.ZstdCompressor(level=3).compress(data)
open("t.zst", "wb").write(packed)
assert zstandard.ZstdDecompressor().decompress(packed) == data
c = zstandard.ZstdCompressor(level=1).compressobj()
packed = b"".join([c.compress(data[i:i + 50000]) for i in range(0, len(data), 50000)] + [c.flush()])
assert zstandard.ZstdDecompressor().decompressobj().decompress(packed) == data
zstandard.ZstdCompressor(level=3, threads=2).compress(data)
zstandard.ZstdCompressor(level=3, dict_data=zstandard.ZstdCompressionDict(data[:1000])).compress(data)'
	took_part python3
	zstd -qdc t.zst | same - text
}

test_dpkg_deb() {
	mkdir -p package/DEBIAN
	printf '%s\n' 'Package: x' 'Version: 1' 'Architecture: all' 'Maintainer: x <x@y.example>' 'Description: x' \
		>package/DEBIAN/control
	seq 400000 >package/text
	on_devices dpkg-deb -Zzstd -z3 --threads-max=1 --root-owner-group -b package one.deb >/dev/null
	took_part
	dpkg-deb --fsys-tarfile one.deb | tar -xO ./text | same - package/text
	# Several threads would get an error of a producer.
	on_devices dpkg-deb -Zzstd -z3 --threads-max=4 --root-owner-group -b package four.deb >/dev/null
	dpkg-deb --fsys-tarfile four.deb | tar -xO ./text | same - package/text
}

test_rsync() {
	folder
	on_devices rsync -a --zc=zstd --zl=3 folder/ 'localhost:'"$PWD/back/" -e "$PWD/sh" 2>/dev/null || {
		printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >sh
		chmod +x sh
		on_devices rsync -a --zc=zstd --zl=3 -e ./sh folder/ "localhost:$PWD/back/"
	}
	diff -r folder back
	took_part rsync
}

run_tests "$@"
