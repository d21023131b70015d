#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs of others under wd-zstd: their results are read by zstd and by themselves, and devices took part.

. "$(dirname "$0")/zstd.inc.sh"
need_set zstd

# Text and programs, 8 MB.
folder() {
	mkdir -p folder
	cp /usr/bin/bash /usr/bin/openssl folder
	seq 400000 >folder/text
}

test_bsdtar() {
	folder
	on_devices zstd -- bsdtar --zstd -cf t.tar.zst folder
	took_part
	zstd -qdc t.tar.zst | tar -x --transform 's,^folder,back,'
	diff -r folder back
	on_none zstd bsdtar --zstd -cf n.tar.zst folder
	stock with_set zstd bsdtar --zstd -cf s.tar.zst folder
	same s.tar.zst n.tar.zst
}

test_mksquashfs() {
	folder
	on_devices zstd -- mksquashfs folder image -comp zstd -Xcompression-level 3 -no-progress -quiet
	took_part
	stock with_set zstd unsquashfs -q -n -d back image
	diff -r folder back
}

test_python_zstandard() {
	seq 400000 >text
	on_devices zstd -- python3 -c 'import zstandard
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
	on_devices zstd -- dpkg-deb -Zzstd -z3 --threads-max=1 --root-owner-group -b package one.deb >/dev/null
	took_part
	dpkg-deb --fsys-tarfile one.deb | tar -xO ./text | same - package/text
	# Several threads would get an error of a producer.
	on_devices zstd -- dpkg-deb -Zzstd -z3 --threads-max=4 --root-owner-group -b package four.deb >/dev/null
	dpkg-deb --fsys-tarfile four.deb | tar -xO ./text | same - package/text
}

test_rsync() {
	folder
	printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >sh
	chmod +x sh
	on_devices zstd -- rsync -a --zc=zstd --zl=3 -e ./sh folder/ "localhost:$PWD/back/"
	diff -r folder back
	took_part rsync
}

# program LINES: one in C whose sections of debugging are worth a device.
program() {
	seq "$1" | awk '{
		print "struct s" $1 " { int a" $1 ", b" $1 "; struct s" $1 " *next; };"
		print "int f" $1 "(struct s" $1 " *p) { return p->next ? p->a" $1 " + f" $1 "(p->next) : p->b" $1 "; }"
	} END { print "int main(void) { return f1(&(struct s1){ 0 }); }" }' >t.c
}

# has_zstd FILE: its sections are compressed with zstd, and the same without that as in plain.
has_zstd() {
	readelf -t "$1" >sections
	says ZSTD sections
	objcopy --decompress-debug-sections "$1" back
	objcopy --dump-section .debug_info=info back
	same plain.info info
}

# gcc knows the option -gz=zstd since version 13; the assembler and the linker do what it stands for.
test_sections_of_debugging() {
	local tool linker

	for tool in gcc objcopy as ld.bfd ld.gold; do
		command -v $tool >/dev/null || skip "$tool is not installed"
	done
	as --help >help
	grep -q 'compress-debug-sections.*zstd' help || skip 'the assembler knows no zstd'
	program 1200
	on_devices host -- gcc -g -Wa,--compress-debug-sections=zstd -c t.c -o t.o
	took_part as
	gcc -g -c t.c -o plain.o
	objcopy --dump-section .debug_info=plain.info plain.o
	has_zstd t.o
	for linker in bfd gold; do
		gcc -fuse-ld=$linker -g plain.o -o plain
		objcopy --dump-section .debug_info=plain.info plain
		on_devices host -- gcc -fuse-ld=$linker -g -Wl,--compress-debug-sections=zstd plain.o -o t
		took_part
		has_zstd t
		./t
	done
	on_devices host -- objcopy --compress-debug-sections=zstd plain t
	took_part objcopy
	has_zstd t
}

# The compiler's own form of a program, which a compiler without wd-zstd reads.
test_link_time_optimisation() {
	command -v gcc >/dev/null || skip 'gcc is not installed'
	program 300
	on_devices host -- gcc -flto -g -c t.c -o t.o
	took_part cc1
	gcc -flto t.o -o t
	./t
}

run_tests "$@"
