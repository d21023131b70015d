/* SPDX-License-Identifier: Apache-2.0 */
/* As much of Ceph's buffers as its compressor for UADK uses: an object is a list of pieces of shared memory. */
#ifndef CEPH_STAND_IN_BUFFER_H
#define CEPH_STAND_IN_BUFFER_H

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <new>
#include <string>

namespace ceph {

class bufferptr {
	std::shared_ptr<char> memory;
	unsigned int at = 0, len = 0;

public:
	bufferptr() = default;
	bufferptr(char *p, unsigned int n) : memory(p, std::free), len(n) {}
	bufferptr(const bufferptr &of, unsigned int from, unsigned int n) : memory(of.memory), at(of.at + from), len(n)
	{
	}
	char *c_str() const { return memory.get() + at; }
	unsigned int length() const { return len; }
};

namespace buffer {

inline bufferptr create_small_page_aligned(unsigned int len)
{
	void *p = nullptr;

	if (posix_memalign(&p, 4096, len ? len : 1))
		throw std::bad_alloc();
	return bufferptr(static_cast<char *>(p), len);
}

}

class bufferlist {
public:
	typedef std::list<bufferptr> buffers_t;

	/* Goes through an object once. */
	class const_iterator {
		buffers_t::const_iterator piece, end;
		unsigned int at = 0;

	public:
		explicit const_iterator(const buffers_t &pieces) : piece(pieces.begin()), end(pieces.end()) {}
		size_t get_remaining() const
		{
			size_t left = 0;

			for (auto p = piece; p != end; ++p)
				left += p->length();
			return left - at;
		}
		/* At most so many bytes of one piece. */
		size_t get_ptr_and_advance(size_t want, const char **data)
		{
			if (piece == end)
				return 0;
			want = std::min<size_t>(want, piece->length() - at);
			*data = piece->c_str() + at;
			at += want;
			if (at == piece->length()) {
				++piece;
				at = 0;
			}
			return want;
		}
	};

	const buffers_t &buffers() const { return pieces; }
	void append(const bufferptr &of, unsigned int from, unsigned int len)
	{
		if (len)
			pieces.emplace_back(of, from, len);
	}
	size_t length() const { return const_iterator(pieces).get_remaining(); }
	std::string str() const
	{
		std::string all;

		for (const auto &piece : pieces)
			all.append(piece.c_str(), piece.length());
		return all;
	}

private:
	buffers_t pieces;
};

}

using ceph::bufferlist;
using ceph::bufferptr;
namespace buffer = ceph::buffer;

#endif
