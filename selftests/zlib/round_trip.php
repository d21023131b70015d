<?php
// SPDX-License-Identifier: Apache-2.0
// Round trips of a file by PHP's functions of zlib: php round_trip.php FILE OUT. OUT gets a gzip file.
declare(strict_types=1);

set_error_handler(function (int $severity, string $message, string $file, int $line): bool {
	throw new ErrorException($message, 0, $severity, $file, $line);
});

function same(string $what, string $expected, string|false $got): void
{
	if ($got !== $expected)
		throw new Exception("$what: " . strlen($expected) . ' bytes expected, ' . strlen((string)$got) .
			' got, or others');
}

function at_once(string $data): void
{
	foreach ([1, 6, 9, -1] as $level) {
		same("gzcompress $level", $data, gzuncompress(gzcompress($data, $level)));
		same("gzdeflate $level", $data, gzinflate(gzdeflate($data, $level)));
		same("gzencode $level", $data, gzdecode(gzencode($data, $level)));
	}
	foreach ([ZLIB_ENCODING_RAW, ZLIB_ENCODING_GZIP, ZLIB_ENCODING_DEFLATE] as $encoding)
		same("zlib_encode $encoding", $data, zlib_decode(zlib_encode($data, $encoding, 1)));
}

/* Contexts, with each kind of flush, a smaller window, and a dictionary. */
function in_pieces(string $data): void
{
	$flushes = [ZLIB_NO_FLUSH, ZLIB_PARTIAL_FLUSH, ZLIB_SYNC_FLUSH, ZLIB_FULL_FLUSH, ZLIB_BLOCK];

	$dictionary = substr($data, 500, 9000);
	$all = [[], ['level' => 1], ['level' => 6, 'window' => 12], ['level' => 3, 'dictionary' => $dictionary]];
	foreach ($all as $i => $options) {
		$packer = deflate_init(ZLIB_ENCODING_DEFLATE, $options);
		$unpacker = inflate_init(ZLIB_ENCODING_DEFLATE, $options);
		$got = '';
		foreach (str_split($data, 150000) as $n => $piece) {
			$packed = deflate_add($packer, $piece, $flushes[($n + $i) % 5]);
			$got .= inflate_add($unpacker, $packed, ZLIB_SYNC_FLUSH);
		}
		$got .= inflate_add($unpacker, deflate_add($packer, '', ZLIB_FINISH), ZLIB_FINISH);
		same("context $i", $data, $got);
		if (inflate_get_status($unpacker) !== ZLIB_STREAM_END)
			throw new Exception("context $i: no end");
	}
}

/* Files that zlib reads and writes itself, and filters of streams. */
function files(string $data, string $out): void
{
	$file = gzopen($out, 'wb1');
	foreach (str_split($data, 7777) as $piece)
		gzwrite($file, $piece);
	gzclose($file);
	ob_start();
	readgzfile($out);
	same('readgzfile', $data, ob_get_clean());
	same('compress.zlib', $data, file_get_contents("compress.zlib://$out"));
	$file = gzopen($out, 'rb');
	gzseek($file, 1000000);
	same('gzseek', substr($data, 1000000, 5000), gzread($file, 5000));
	gzrewind($file);
	same('gzrewind', substr($data, 0, 5000), gzread($file, 5000));
	gzclose($file);

	$memory = fopen('php://memory', 'w+b');
	$filter = stream_filter_append($memory, 'zlib.deflate', STREAM_FILTER_WRITE, ['level' => 6]);
	fwrite($memory, $data);
	stream_filter_remove($filter);
	rewind($memory);
	same('filter', $data, gzinflate(stream_get_contents($memory)));
}

$data = file_get_contents($argv[1]);
at_once($data);
in_pieces($data);
files($data, $argv[2]);
