// SPDX-License-Identifier: Apache-2.0
/* The build ID that the linker puts into each module: it distinguishes two builds of one version. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "buildid.h"

#define NOTE_SECTION ".note.gnu.build-id"

static bool read_at(FILE *f, unsigned long long at, void *buf, size_t len)
{
	return at < (1ull << 40) && !fseek(f, at, SEEK_SET) && fread(buf, 1, len, f) == len;
}

static bool section_read(FILE *f, const Elf64_Ehdr *elf, unsigned int index, Elf64_Shdr *section)
{
	return read_at(f, elf->e_shoff + (unsigned long long)index * sizeof(*section), section,
		       sizeof(*section));
}

static bool is_note(FILE *f, const Elf64_Shdr *names, const Elf64_Shdr *section)
{
	char name[sizeof(NOTE_SECTION)];

	return section->sh_type == SHT_NOTE &&
	       read_at(f, names->sh_offset + section->sh_name, name, sizeof(name)) &&
	       !memcmp(name, NOTE_SECTION, sizeof(name));
}

static void note_find(struct buildid *id, FILE *f)
{
	Elf64_Shdr names, section;
	Elf64_Ehdr elf;
	unsigned int i;

	if (!read_at(f, 0, &elf, sizeof(elf)) || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_shentsize != sizeof(section) ||
	    !section_read(f, &elf, elf.e_shstrndx, &names))
		return;
	for (i = 0; i < elf.e_shnum && section_read(f, &elf, i, &section); i++) {
		if (!is_note(f, &names, &section) || section.sh_size > sizeof(id->note))
			continue;
		if (read_at(f, section.sh_offset, id->note, section.sh_size))
			id->bytes = section.sh_size;
		return;
	}
}

void buildid_of_file(struct buildid *id, const char *path)
{
	FILE *f = fopen(path, "rbe");

	id->bytes = 0;
	if (!f)
		return;
	note_find(id, f);
	fclose(f);
}

void buildid_of_loaded(struct buildid *id, const struct root *r, const char *module)
{
	char path[ROOT_PATH_MAX];
	FILE *f;

	id->bytes = 0;
	if (root_path(r, path, sizeof(path), "/sys/module/%s/notes/" NOTE_SECTION, module))
		return;
	f = fopen(path, "rbe");
	if (!f)
		return;
	id->bytes = fread(id->note, 1, sizeof(id->note), f);
	fclose(f);
}

bool buildid_differ(const struct buildid *a, const struct buildid *b)
{
	return a->bytes && b->bytes &&
	       (a->bytes != b->bytes || memcmp(a->note, b->note, a->bytes));
}
