// SPDX-License-Identifier: Apache-2.0
/*
 * Random calls of the functions of gzip files. Both libraries have a file of their own, at the same place in its data.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deflate_streams.h"
#include "program.h"

#define PATH_BYTES	256

struct files {
	char path[SIDES][PATH_BYTES];
	gzFile f[SIDES];
	bool exact;		/* the files have the same bytes */
	bool buffered;		/* gzbuffer() was called: both have the same buffers */
	bool begun;		/* something was written */
	bool direct;		/* without compression */
	unsigned char *plain;	/* what was written */
	size_t len;
	size_t cut;
};

/* Both values, of a call that both do. */
#define BOTH(p, ret, call) do { \
	int side; \
\
	for (side = STOCK; side < SIDES; side++) { \
		const struct zlib *z = &r->z[side]; \
		gzFile f = (p)->f[side]; \
\
		(ret)[side] = (long)(call); \
	} \
	run_same(r, "the value", (ret)[STOCK], (ret)[SHIM]); \
} while (0)

static void same_error(struct run *r, struct files *p)
{
	const char *text[SIDES];
	int side, code[SIDES] = { 0, 0 };

	for (side = STOCK; side < SIDES; side++) {
		text[side] = r->z[side].gzerror(p->f[side], &code[side]);
		/* Without the path. */
		if (text[side] && strstr(text[side], ": "))
			text[side] = strstr(text[side], ": ");
	}
	run_same(r, "the error", code[STOCK], code[SHIM]);
	/* A device has words of its own. */
	if (!r->config.devices || !r->config.inflate_streams)
		run_same_text(r, "the error's text", text[STOCK], text[SHIM]);
}

/* Both at the same position of the data. gzoffset() depends on the size of the buffer. */
static void same_place(struct run *r, struct files *p)
{
	long ret[SIDES];

	BOTH(p, ret, z->gztell(f));
	BOTH(p, ret, z->gzeof(f));
	if (p->exact && p->buffered)
		BOTH(p, ret, z->gzoffset(f));
	same_error(r, p);
}

static gzFile open_one(const struct zlib *z, const char *path, const char *mode, bool by_number)
{
	int fd = by_number ? open(path, O_RDONLY) : -1;

	return by_number ? z->gzdopen(fd, mode) : z->gzopen(path, mode);
}

static bool open_both(struct run *r, struct files *p, const char *mode)
{
	bool by_number = mode[0] == 'r' && rng_once_in(&r->rng, 4);
	unsigned int size = 8 + (unsigned int)rng_size(&r->rng, 300000);
	long ret[SIDES];
	int side;

	run_call(r, "gz%sopen(%s)", by_number ? "d" : "", mode);
	for (side = STOCK; side < SIDES; side++)
		p->f[side] = open_one(&r->z[side], p->path[side], mode, by_number);
	run_same(r, "it is NULL", !p->f[STOCK], !p->f[SHIM]);
	p->buffered = p->f[SHIM] && rng_once_in(&r->rng, 3);
	if (p->buffered) {
		run_call(r, "gzbuffer(%u)", size);
		BOTH(p, ret, z->gzbuffer(f, size));
	}
	return p->f[SHIM];
}

static void close_both(struct run *r, struct files *p, bool reading)
{
	bool general = rng_once_in(&r->rng, 2);
	long ret[SIDES];

	run_call(r, "gzclose");
	/* The wrong one of the two is refused and closes nothing. */
	BOTH(p, ret, reading ? z->gzclose_w(f) : z->gzclose_r(f));
	run_same(r, "the value of the wrong gzclose", Z_STREAM_ERROR, ret[SHIM]);
	BOTH(p, ret, general ? z->gzclose(f) : reading ? z->gzclose_r(f) : z->gzclose_w(f));
}

static unsigned char *more(struct run *r, struct files *p, size_t *n)
{
	unsigned char *at = p->plain + p->len;

	*n = *n < POOL_BYTES - p->len ? *n : POOL_BYTES - p->len;
	memcpy(at, r->pool + rng_below(&r->rng, POOL_BYTES - *n + 1), *n);
	p->len += *n;
	p->begun |= *n;
	return at;
}

static void write_text(struct run *r, struct files *p)
{
	char text[100];
	size_t n = sizeof(text) - 1;
	unsigned char *at = more(r, p, &n);
	long ret[SIDES];
	size_t i;

	for (i = 0; i < n; i++)
		at[i] = at[i] ? at[i] : ' ';
	memcpy(text, at, n);
	text[n] = '\0';
	run_call(r, "gzputs or gzprintf of %zu bytes", n);
	if (rng_once_in(&r->rng, 2))
		BOTH(p, ret, z->gzputs(f, text));
	else
		BOTH(p, ret, z->gzprintf(f, "%s", text));
	/* gzprintf() takes no longer a text than the buffer. */
	if (ret[SHIM] != (long)n)
		p->len -= n;
}

static void write_step(struct run *r, struct files *p)
{
	size_t n = rng_once_in(&r->rng, 10) ? rng_size(&r->rng, CUT_BYTES) : rng_below(&r->rng, p->cut);
	int what = rng_from(&r->rng, 0, 19), level = rng_from(&r->rng, -1, 9), flush = rng_from(&r->rng, -1, 5);
	unsigned char *at;
	long ret[SIDES];

	switch (what) {
	case 0:
		run_call(r, "gzflush(%d)", flush);
		BOTH(p, ret, z->gzflush(f, flush));
		break;
	case 1:
		run_call(r, "gzsetparams(%d)", level);
		/* zlib has a stream for files with compression only, and does not look. */
		if (!p->direct)
			BOTH(p, ret, z->gzsetparams(f, level, Z_DEFAULT_STRATEGY));
		break;
	case 2:
		write_text(r, p);
		break;
	case 3:
		n = 1;
		at = more(r, p, &n);
		run_call(r, "gzputc");
		if (n)
			BOTH(p, ret, z->gzputc(f, *at));
		break;
	case 4:
		/* At the beginning zlib writes what is in its new buffer. */
		n = p->begun ? rng_below(&r->rng, 2000) : 0;
		n = n < POOL_BYTES - p->len ? n : POOL_BYTES - p->len;
		run_call(r, "gzseek by %zu", n);
		BOTH(p, ret, z->gzseek(f, (z_off_t)n, SEEK_CUR));
		memset(p->plain + p->len, 0, n);
		p->len += n;
		break;
	case 5:
		run_call(r, "wrong calls of a file that is written");
		BOTH(p, ret, z->gzread(f, r->out[0], 5));
		BOTH(p, ret, z->gzungetc('x', f));
		BOTH(p, ret, z->gzrewind(f));
		BOTH(p, ret, z->gzbuffer(f, 4096));
		BOTH(p, ret, z->gzdirect(f));
		break;
	default:
		at = more(r, p, &n);
		run_call(r, "gzwrite of %zu bytes behind %zu", n, p->len - n);
		if (what < 8)
			BOTH(p, ret, z->gzfwrite(at, 1, n, f));
		else
			BOTH(p, ret, z->gzwrite(f, at, (unsigned int)n));
	}
	same_place(r, p);
}

/* Reads the whole file with stock zlib. */
static void check_file(struct run *r, struct files *p)
{
	gzFile f = r->z[STOCK].gzopen(p->path[SHIM], "r");
	int n;

	run_call(r, "stock zlib's gzread");
	RUN_CHECK(r, f, "the file is not there");
	n = r->z[STOCK].gzread(f, r->in[STOCK], ROOM_BYTES);
	RUN_CHECK(r, n >= 0, "it returned %d: %s", n, r->z[STOCK].gzerror(f, &n));
	run_same_bytes(r, "what came back", p->plain, p->len, r->in[STOCK], (size_t)n);
	run_same(r, "gzclose", Z_OK, r->z[STOCK].gzclose(f));
}

static size_t file_bytes(struct run *r, const char *path, unsigned char *to)
{
	FILE *f = fopen(path, "r");
	size_t n;

	RUN_CHECK(r, f, "%s is not there", path);
	n = fread(to, 1, ROOM_BYTES, f);
	fclose(f);
	return n;
}

/* direct: without compression, or appended to such a file. */
static void write_file(struct run *r, struct files *p, bool append, bool direct)
{
	unsigned int steps = (unsigned int)rng_from(&r->rng, 0, 40);
	char mode[8];
	size_t n[SIDES];
	int side;

	snprintf(mode, sizeof(mode), "%c%c%.*s", append ? 'a' : 'w',
		 rng_once_in(&r->rng, 3) ? 'b' : (char)('0' + rng_below(&r->rng, 10)),
		 direct || rng_once_in(&r->rng, 4), direct ? "T" : &"fhRF"[rng_below(&r->rng, 4)]);
	if (!open_both(r, p, mode))
		return;
	p->len = append ? p->len : 0;
	p->begun = false;
	p->direct = direct;
	while (steps--)
		write_step(r, p);
	close_both(r, p, false);
	check_file(r, p);
	for (side = STOCK; side < SIDES; side++)
		n[side] = file_bytes(r, p->path[side], r->out[side]);
	if (p->exact)
		run_same_bytes(r, "the file", r->out[STOCK], n[STOCK], r->out[SHIM], n[SHIM]);
}

/* Stock zlib's file for both, sometimes damaged. */
static void same_files(struct run *r, struct files *p)
{
	size_t n = file_bytes(r, p->path[STOCK], r->in[STOCK]);
	int side;
	FILE *f;

	if (n && rng_once_in(&r->rng, 4))
		r->in[STOCK][rng_below(&r->rng, n)] ^= (unsigned char)(1 + rng_below(&r->rng, 255));
	if (rng_once_in(&r->rng, 8))
		n -= rng_size(&r->rng, n);
	if (rng_once_in(&r->rng, 8) && n < ROOM_BYTES - 50)
		n += rng_below(&r->rng, 50);
	for (side = STOCK; side < SIDES; side++) {
		f = fopen(p->path[side], "w");
		RUN_CHECK(r, f && fwrite(r->in[STOCK], 1, n, f) == n && !fclose(f), "%s is not written", p->path[side]);
	}
}

static void read_bytes(struct run *r, struct files *p, size_t n, bool lines)
{
	char *text[SIDES];
	long ret[SIDES];
	int side;

	run_call(r, "%s of %zu bytes", lines ? "gzgets" : "gzread", n);
	memset(r->out[STOCK], 0, n + 1);
	memset(r->out[SHIM], 0, n + 1);
	if (lines) {
		for (side = STOCK; side < SIDES; side++)
			text[side] = r->z[side].gzgets(p->f[side], (char *)r->out[side], (int)n);
		run_same(r, "it is NULL", !text[STOCK], !text[SHIM]);
	} else if (rng_once_in(&r->rng, 4)) {
		BOTH(p, ret, z->gzfread(r->out[side], 1, n, f));
	} else {
		BOTH(p, ret, z->gzread(f, r->out[side], (unsigned int)n));
	}
	run_same_bytes(r, "what was read", r->out[STOCK], n, r->out[SHIM], n);
}

static void read_step(struct run *r, struct files *p)
{
	size_t n = rng_once_in(&r->rng, 10) ? rng_size(&r->rng, CUT_BYTES) : rng_below(&r->rng, p->cut);
	z_off_t to = (z_off_t)rng_size(&r->rng, 100000);
	long ret[SIDES];

	switch (rng_from(&r->rng, 0, 15)) {
	case 0:
		run_call(r, "gzungetc");
		/* Without a buffer zlib writes somewhere: gzdirect() makes one. */
		BOTH(p, ret, z->gzdirect(f));
		BOTH(p, ret, z->gzungetc('u', f));
		break;
	case 1:
		run_call(r, "gzseek to %ld", (long)to);
		BOTH(p, ret, z->gzseek(f, to, SEEK_SET));
		break;
	case 2:
		run_call(r, "gzseek by %ld", (long)to - 50000);
		BOTH(p, ret, z->gzseek(f, to - 50000, SEEK_CUR));
		break;
	case 3:
		run_call(r, "gzrewind");
		BOTH(p, ret, z->gzrewind(f));
		break;
	case 4:
		run_call(r, "gzgetc, gzdirect");
		BOTH(p, ret, z->gzgetc_(f));
		BOTH(p, ret, z->gzdirect(f));
		break;
	case 5:
		run_call(r, "wrong calls of a file that is read");
		BOTH(p, ret, z->gzwrite(f, r->pool, 5));
		BOTH(p, ret, z->gzputs(f, "x"));
		BOTH(p, ret, z->gzflush(f, Z_FINISH));
		BOTH(p, ret, z->gzseek(f, 0, SEEK_END));
		break;
	case 6:
		run_call(r, "gzclearerr");
		r->z[STOCK].gzclearerr(p->f[STOCK]);
		r->z[SHIM].gzclearerr(p->f[SHIM]);
		break;
	default:
		read_bytes(r, p, n, rng_once_in(&r->rng, 4));
	}
	same_place(r, p);
}

static void read_file(struct run *r, struct files *p)
{
	unsigned int steps = (unsigned int)rng_from(&r->rng, 1, 40);

	same_files(r, p);
	if (!open_both(r, p, rng_once_in(&r->rng, 3) ? "rb" : "r"))
		return;
	while (steps--)
		read_step(r, p);
	close_both(r, p, true);
}

static void wrong_files(struct run *r, struct files *p)
{
	static const char *const modes[] = { "", "b", "r+", "rw", "q", "9", "rT", "wT", "x" };
	const char *mode = modes[rng_below(&r->rng, 9)];
	long ret[SIDES];
	int side;

	run_call(r, "gzopen(%s)", mode);
	for (side = STOCK; side < SIDES; side++)
		p->f[side] = r->z[side].gzopen(r->folder, mode);
	run_same(r, "it is NULL", !p->f[STOCK], !p->f[SHIM]);
	if (p->f[SHIM])
		BOTH(p, ret, z->gzclose(f));
	p->f[STOCK] = p->f[SHIM] = NULL;
	BOTH(p, ret, z->gzread(f, r->out[0], 1));
	BOTH(p, ret, z->gzwrite(f, r->out[0], 1));
	BOTH(p, ret, z->gzclose(f));
	BOTH(p, ret, z->gzbuffer(f, 1));
	BOTH(p, ret, z->gzflush(f, 0));
}

void program_gz(struct run *r)
{
	struct files p = {
		.exact = !r->config.devices, .plain = malloc(POOL_BYTES), .cut = 1 + rng_size(&r->rng, 100000)
	};
	bool direct = rng_once_in(&r->rng, 10);
	int side;

	run_data(r, POOL_BYTES / 4);
	for (side = STOCK; side < SIDES; side++)
		snprintf(p.path[side], PATH_BYTES, "%s/%d.gz", r->folder, side);
	write_file(r, &p, false, direct);
	if (rng_once_in(&r->rng, 2))
		write_file(r, &p, true, direct);
	if (rng_once_in(&r->rng, 4))
		wrong_files(r, &p);
	if (!access(p.path[STOCK], R_OK))
		read_file(r, &p);
	for (side = STOCK; side < SIDES; side++)
		unlink(p.path[side]);
	free(p.plain);
}
