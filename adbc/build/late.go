package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// DuckDB's library is larger than all else, and many programs never need it:
// mapping and relocating it costs time and some 17 MB. So the driver does not
// name it as one that it needs. What it is linked with instead are entries, one
// for each function of DuckDB's C interface, that jump to where the library has
// the function; hudi_duckdb_load opens the library and finds them.

// jumps are the instructions of an entry, which leave all registers that
// arguments are in as they are.
var jumps = map[string]string{
	"amd64": `jmp *hudi_duckdb_at+%d(%%rip)`,
	"arm64": `adrp x16, hudi_duckdb_at+%d\n\tldr x16, [x16, #:lo12:hudi_duckdb_at+%[1]d]\n\tbr x16`,
}

const lateSource = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#define COUNT %d
static const char names[] = %s;
__attribute__((visibility("hidden"))) void *hudi_duckdb_at[COUNT];

// hudi_duckdb_load opens DuckDB, which lies beside this library. It gives a
// message if that fails, to be freed.
__attribute__((visibility("hidden"))) char *hudi_duckdb_load(void) {
	void *found[COUNT];
	void *library = dlopen("%s", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) return strdup(dlerror());
	const char *name = names;
	for (int i = 0; i < COUNT; i++, name += strlen(name) + 1) {
		found[i] = dlsym(library, name);
		if (found[i] == NULL) return strdup(dlerror());
	}
	memcpy(hudi_duckdb_at, found, sizeof found);
	return NULL;
}

__asm__(".text\n.p2align 4\n"
%s);
`

var declared = regexp.MustCompile(`\bduckdb_\w+`)

// linkEntries makes the library of entries, for which the bindings ask by
// -lduckdb, into the DuckDB of a name that lies in the folder.
func linkEntries(dir, engine string) error {
	jump, ok := jumps[runtime.GOARCH]
	if !ok {
		return fmt.Errorf("no entries into DuckDB for %s yet", runtime.GOARCH)
	}
	functions, err := interfaceOf(filepath.Join(dir, engine))
	if err != nil {
		return err
	}
	var names, entries strings.Builder
	for i, name := range functions {
		fmt.Fprintf(&names, "\"%s\\0\"\n", name)
		fmt.Fprintf(&entries, "\".globl %[1]s\\n.hidden %[1]s\\n.type %[1]s,%%function\\n%[1]s:\\n\\t%[2]s\\n\"\n", name, fmt.Sprintf(jump, 8*i))
	}
	source, object := filepath.Join(dir, "late.c"), filepath.Join(dir, "late.o")
	text := fmt.Sprintf(lateSource, len(functions), names.String(), engine, entries.String())
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		return err
	}
	if _, err := output(compiler(), "-x", "c", "-c", "-O2", "-fPIC", "-o", object, source); err != nil {
		return err
	}
	_, err = output("ar", "rcsD", filepath.Join(dir, "libduckdb.a"), object)
	return err
}

// interfaceOf gives the functions of the C interface that a DuckDB has: those
// of the header among what the library shows.
func interfaceOf(library string) ([]string, error) {
	folder, err := output("go", "list", "-m", "-f", "{{.Dir}}", bindings)
	if err != nil {
		return nil, err
	}
	header, err := os.ReadFile(filepath.Join(strings.TrimSpace(folder), "include", "duckdb.h"))
	if err != nil {
		return nil, err
	}
	in := map[string]bool{}
	for _, name := range declared.FindAllString(string(header), -1) {
		in[name] = true
	}
	f, err := elf.Open(library)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	var functions []string
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC && in[s.Name] {
			functions = append(functions, s.Name)
		}
	}
	if len(functions) == 0 {
		return nil, errors.New("DuckDB's library shows no functions")
	}
	slices.Sort(functions)
	return functions, nil
}
