// SPDX-License-Identifier: Apache-2.0
// Round trips of a file by Node's module zlib: node round_trip.js FILE OUT. OUT gets a gzip file.
'use strict';
const assert = require('assert');
const fs = require('fs');
const { pipeline } = require('stream/promises');
const zlib = require('zlib');

const data = fs.readFileSync(process.argv[2]);
const out = process.argv[3];
const pairs = [['deflate', 'inflate'], ['gzip', 'gunzip'], ['deflateRaw', 'inflateRaw']];

function atOnce() {
	for (const [pack, unpack] of pairs) {
		for (const level of [1, 6, 9])
			assert(zlib[unpack + 'Sync'](zlib[pack + 'Sync'](data, { level })).equals(data));
		const small = zlib[pack + 'Sync'](data, { chunkSize: 64, windowBits: 12 });
		assert(zlib[unpack + 'Sync'](small).equals(data));
	}
}

function called(name, input, options) {
	return new Promise((resolve, reject) =>
		zlib[name](input, options, (error, result) => error ? reject(error) : resolve(result)));
}

// In Node's threads.
async function inThreads() {
	const results = await Promise.all(Array.from({ length: 12 }, (_, i) =>
		called(pairs[i % 3][0], data.subarray(i * 1000), { level: 1 + i % 6 })));

	for (const [i, result] of results.entries())
		assert((await called(pairs[i % 3][1], result)).equals(data.subarray(i * 1000)));
}

// One stream, whose level and strategy change, with each kind of flush.
async function changing() {
	const stream = zlib.createDeflate({ level: 1 });
	const pieces = [];
	const written = (from, to) => new Promise((resolve) => stream.write(data.subarray(from, to), resolve));
	const flushed = (kind) => new Promise((resolve) => stream.flush(kind, resolve));
	const params = (level, strategy) => new Promise((resolve, reject) =>
		stream.params(level, strategy, (error) => error ? reject(error) : resolve()));
	const { constants: c } = zlib;
	let at = 0;

	stream.on('data', (piece) => pieces.push(piece));
	for (const [size, flush, level, strategy] of [
		[300000, c.Z_SYNC_FLUSH, 6, c.Z_DEFAULT_STRATEGY], [100, c.Z_FULL_FLUSH, 2, c.Z_DEFAULT_STRATEGY],
		[700000, c.Z_PARTIAL_FLUSH, 9, c.Z_DEFAULT_STRATEGY], [200000, c.Z_BLOCK, 1, c.Z_DEFAULT_STRATEGY],
		[400000, c.Z_NO_FLUSH, 3, c.Z_HUFFMAN_ONLY], [100000, c.Z_SYNC_FLUSH, 0, c.Z_DEFAULT_STRATEGY]]) {
		await written(at, at + size);
		at += size;
		await flushed(flush);
		await params(level, strategy);
	}
	const ended = new Promise((resolve) => stream.on('end', resolve));
	stream.end(data.subarray(at, at + 500000));
	await ended;
	assert(zlib.inflateSync(Buffer.concat(pieces)).equals(data.subarray(0, at + 500000)));
}

async function piped() {
	await pipeline(fs.createReadStream(process.argv[2]), zlib.createGzip({ level: 1 }), fs.createWriteStream(out));
	await pipeline(fs.createReadStream(out), zlib.createGunzip(), async function (source) {
		let at = 0;

		for await (const piece of source) {
			assert(piece.equals(data.subarray(at, at + piece.length)));
			at += piece.length;
		}
		assert.equal(at, data.length);
	});
}

(async () => {
	atOnce();
	await inThreads();
	await changing();
	await piped();
})().catch((error) => {
	console.error(error);
	process.exit(1);
});
