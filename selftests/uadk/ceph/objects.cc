// SPDX-License-Identifier: Apache-2.0
/*
 * Objects of 4 KiB to 8 MiB through Ceph's own compressor for UADK, unchanged, by several threads: each is compressed,
 * judged by zlib, and decompressed, whole and in pieces.
 *	objects THREADS ROUNDS
 * With faults an object may end with an error, and then it goes again; never with wrong data. The last line has how
 * many trips were right, and how many errors there were.
 */
#include <atomic>
#include <thread>
#include <vector>

#include <zlib.h>

#include "UadkAccel.h"
#include "common/debug.h"

#include "noise.h"
#include "uadk_test.h"

static CephContext context;
CephContext *g_ceph_context = &context;

static std::atomic<unsigned int> right, errors, wrong;

enum kind { TEXT, NOISE, ZEROES, MIXED, KINDS };

static std::string object(size_t size, int kind, unsigned int seed)
{
	std::string data(size, '\0');
	unsigned char *p = reinterpret_cast<unsigned char *>(&data[0]);

	if (kind == TEXT)
		fill_text(p, size, seed);
	if (kind == NOISE)
		fill_noise(p, size, seed);
	if (kind == MIXED) {
		fill_text(p, size / 4, seed);
		fill_noise(p + size / 2, size / 4, seed);
	}
	return data;
}

/* The data in pieces, the last of which may be shorter. */
static bufferlist list_of(const std::string &data, size_t piece)
{
	bufferlist list;

	for (size_t at = 0; at < data.size(); at += piece) {
		unsigned int n = static_cast<unsigned int>(std::min(piece, data.size() - at));
		bufferptr p = buffer::create_small_page_aligned(n);

		memcpy(p.c_str(), data.data() + at, n);
		list.append(p, 0, n);
	}
	return list;
}

/* Behind Ceph's mark of one byte. */
static bool zlib_agrees(const std::string &packed, const std::string &data)
{
	std::string back(data.size() + 1, '\0');
	uLongf len = back.size();

	return uncompress(reinterpret_cast<Bytef *>(&back[0]), &len,
			  reinterpret_cast<const Bytef *>(packed.data()) + 1, packed.size() - 1) == Z_OK &&
		len == data.size() && !back.compare(0, len, data);
}

static bool back_again(UadkAccel &accel, const std::string &packed, size_t piece, const std::string &data)
{
	bufferlist list = list_of(packed, piece), out;
	bufferlist::const_iterator it(list.buffers());

	if (accel.decompress(it, packed.size(), out) < 0) {
		errors++;
		return false;
	}
	if (out.length() == data.size() && out.str() == data)
		return true;
	std::cerr << "wrong: " << data.size() << " bytes came back as " << out.length() << '\n';
	wrong++;
	return false;
}

static bool trip(UadkAccel &accel, const std::string &data, size_t piece)
{
	bufferlist in = list_of(data, piece), out;

	if (accel.compress(in, out) < 0) {
		errors++;
		return false;
	}
	if (!zlib_agrees(out.str(), data)) {
		std::cerr << "wrong: " << data.size() << " bytes compressed\n";
		wrong++;
		return false;
	}
	return back_again(accel, out.str(), SIZE_MAX / 2, data) && back_again(accel, out.str(), 65536, data);
}

static void rounds(UadkAccel &accel, unsigned int seed, unsigned int n)
{
	static const size_t sizes[] = { 4096, 16384, 65536, 100001, 1 << 20, 4 << 20, 8 << 20 };

	for (unsigned int i = seed; n--; i++) {
		size_t size = sizes[i % 7];
		std::string data = object(size, static_cast<int>(i % KINDS), i);

		for (size_t piece : { size, static_cast<size_t>(65536) })
			right += trip(accel, data, piece);
	}
}

int main(int argc, char **argv)
{
	unsigned int threads = argc > 2 ? static_cast<unsigned int>(atoi(argv[1])) : 0;
	UadkAccel accel;
	std::vector<std::thread> all;

	if (!threads) {
		std::cerr << "usage: objects THREADS ROUNDS\n";
		return 2;
	}
	context._conf.contexts = 2 * threads;
	if (!accel.init())
		return 1;
	for (unsigned int i = 0; i < threads; i++)
		all.emplace_back(rounds, std::ref(accel), i * 1000 + 1, static_cast<unsigned int>(atoi(argv[2])));
	for (auto &thread : all)
		thread.join();
	std::cout << right << " right, " << errors << " errors, " << wrong << " wrong\n";
	return wrong ? 1 : 0;
}
