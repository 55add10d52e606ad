package main

/*
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// give_back takes the pages of this library that nobody writes to out of the
// process, if the object is this library.
static int give_back(struct dl_phdr_info *object, size_t size, void *here) {
	uintptr_t page = sysconf(_SC_PAGESIZE);
	int own = 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		own |= h->p_type == PT_LOAD && (uintptr_t)here - (object->dlpi_addr + h->p_vaddr) < h->p_memsz;
	}
	for (int i = 0; own && i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		uintptr_t from = object->dlpi_addr + h->p_vaddr, to = from + h->p_memsz;
		from = (from + page - 1) & -page;
		to &= -page;
		if (h->p_type == PT_LOAD && !(h->p_flags & PF_W) && from < to) madvise((void *)from, to - from, MADV_DONTNEED);
	}
	return own;
}

static void hudi_give_back(void) { dl_iterate_phdr(give_back, give_back); }
*/
import "C"

// Relocating the library and initializing its packages maps two thirds of it,
// most of which is never needed again. It goes out of the process here, when
// all that is done; what is needed comes back from the page cache.
func init() { C.hudi_give_back() }
