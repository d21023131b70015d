/* SPDX-License-Identifier: Apache-2.0 */
/* Published keys, texts and ciphertexts of block ciphers, shared by the tests of the model and of the libraries. */
#ifndef WD_TEST_BLOCK_ANSWERS_H
#define WD_TEST_BLOCK_ANSWERS_H

/* SP 800-38A, appendix F: four blocks, F.2.1, F.2.3 and F.2.5. */
#define F4		"6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51" \
			"30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
#define F_IV		"000102030405060708090a0b0c0d0e0f"
#define K128		"2b7e151628aed2a6abf7158809cf4f3c"
#define K192		"8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"
#define K256		"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
#define CBC_AES128	"7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2" \
			"73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
#define CBC_AES192	"4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a" \
			"571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
#define CBC_AES256	"f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d" \
			"39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"

/* The internet draft of SM4, with F_IV. */
#define SM4_KEY		"0123456789abcdeffedcba9876543210"
#define SM4_TEXT	"aaaaaaaabbbbbbbbccccccccddddddddeeeeeeeeffffffffaaaaaaaabbbbbbbb"
#define CBC_SM4		"78ebb11cc40b0a48312aaeb2040244cb4cb7016951909226979b0d15dc6a8f6d"

/* GB/T 17964's example, which ends within a block: with its own doubling of the tweak, and with that of IEEE 1619. */
#define XTS_SM4_KEY	K128 F_IV
#define XTS_SM4_TWEAK	"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
#define XTS_SM4_TEXT	"6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51" \
			"30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17"
#define XTS_SM4_GB	"e9538251c71d7b80bbe4483fef497bd12c5c581bd6242fc51e08964fb4f60fdb" \
			"0ba42f63499279213d318d2c11f6886e903be7f93a1b3479"
#define XTS_SM4_IEEE	"e9538251c71d7b80bbe4483fef497bd1b3db1a3e60408c575d63ff7db39f8326" \
			"0869f9e2585fec9f0b863bf8fd784b8627d16c0db6d2cfc7"

#endif
