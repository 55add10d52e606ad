// Package hudi_test holds the rules of the house that a compiler does not know: which package may import which, how long
// a file may be, what has to be documented. The engine itself begins at package provider.
package hudi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	module   = "github.com/hudi-go/hudi"
	maxLines = 600
)

// flow is the order in which data passes through the packages. A package imports only packages that stand before it or
// beside it; the longest matching prefix counts.
var flow = []struct {
	prefix string
	rank   int
}{
	{"internal", 0},
	{"schema", 1},
	{"snapshot", 2},
	{"internal/keygen", 3}, // needs the table config
	{"incremental", 3},
	{"pushdown", 4},
	{"scan", 5},
	{"mergeread", 6},
	{"provider", 7},
	{"objectstore", 1}, // binds to internal/storage; only programs import it
	{"duckdb", 8},
	{"adbc", 8},
	{"internal/cli", 9},
	{"cmd", 10},
	{"python", 10},
	{"bench", 10},
	{"examples", 10},
}

func rank(dir string) (int, bool) {
	best, r := -1, 0
	for _, f := range flow {
		if (dir == f.prefix || strings.HasPrefix(dir, f.prefix+"/")) && len(f.prefix) > best {
			best, r = len(f.prefix), f.rank
		}
	}
	return r, best >= 0
}

// sources calls visit with each file of the project that has one of the extensions, by its slash-separated path.
func sources(t *testing.T, visit func(path string, text []byte), extensions ...string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name := d.Name(); {
			case path == ".":
				return nil
			case name == ".ci":
				return nil
			case strings.HasPrefix(name, "."), name == "bin", name == "dist", name == "tables", name == "__pycache__":
				return fs.SkipDir
			}
			return nil
		}
		for _, e := range extensions {
			if strings.HasSuffix(path, e) {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				visit(filepath.ToSlash(path), text)
				return nil
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

type goFile struct {
	path, dir string
	ast       *ast.File
	test      bool
}

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	set := token.NewFileSet()
	sources(t, func(path string, text []byte) {
		f, err := parser.ParseFile(set, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		files = append(files, goFile{path, dir, f, strings.HasSuffix(path, "_test.go")})
	}, ".go")
	if len(files) == 0 {
		t.Fatal("no Go files found")
	}
	return files
}

func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	type pkg struct {
		documented bool
		file       string
	}
	packages := map[string]*pkg{}
	for _, f := range goFiles(t) {
		key := f.dir + " " + f.ast.Name.Name
		if f.test && f.dir != "." {
			continue
		}
		if packages[key] == nil {
			packages[key] = &pkg{file: f.path}
		}
		if f.ast.Doc != nil && len(strings.TrimSpace(f.ast.Doc.Text())) > 20 {
			packages[key].documented = true
		}
	}
	for key, p := range packages {
		if !p.documented {
			t.Errorf("package %s has no package comment (%s)", key, p.file)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || f.ast.Name.Name == "main" || ast.IsGenerated(f.ast) {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: exported %s has no doc comment", f.path, name)
			}
		}
	}
}

// undocumented gives the exported names that a declaration makes and that nothing describes. For constants and variables
// the comment of the group, of the line or of the name before is enough.
func undocumented(d ast.Decl) []string {
	var names []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || ast.IsExported(receiver(d))) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		grouped := d.Doc != nil
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				described := grouped || s.Doc != nil || s.Comment != nil
				for _, n := range s.Names {
					if n.IsExported() && !described {
						names = append(names, n.Name)
					}
				}
				grouped = described
			}
		}
	}
	return names
}

// receiver gives the name of a method's type. Methods that only fulfil an interface of the standard library speak for
// themselves.
func receiver(d *ast.FuncDecl) string {
	switch d.Name.Name {
	case "Error", "String", "Unwrap", "Close", "Len", "Less", "Swap", "Read", "ReadAt", "Write", "Is":
		return ""
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

func TestImportsFollowTheDataFlow(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		from, known := rank(f.dir)
		if !known {
			t.Errorf("%s: folder %s has no place in the data flow: add it to the list in this test", f.path, f.dir)
			continue
		}
		for _, i := range f.ast.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			if !strings.HasPrefix(p, module+"/") {
				continue
			}
			if to, _ := rank(strings.TrimPrefix(p, module+"/")); to > from {
				t.Errorf("%s imports %s, which stands after it in the data flow", f.path, p)
			}
		}
	}
}

func TestTheCoreKnowsNoEngine(t *testing.T) {
	for _, f := range goFiles(t) {
		if r, _ := rank(f.dir); r > 7 || f.dir == "." {
			continue
		}
		for _, i := range f.ast.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			if strings.Contains(p, "duckdb") || strings.Contains(p, "arrow-adbc") {
				t.Errorf("%s imports %s: nothing before the providers' users knows an engine", f.path, p)
			}
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	sources(t, func(path string, text []byte) {
		if strings.Contains(string(text[:min(len(text), 400)]), "DO NOT EDIT") {
			return
		}
		if n := strings.Count(string(text), "\n"); n > maxLines {
			t.Errorf("%s has %d lines, more than %d: split it by concept", path, n, maxLines)
		}
	}, ".go", ".py", ".c", ".h", ".sh")
}

// TestOpenEndsAreListed: what is left to do in the code stands in docs/GAPS.md too, in the same words.
func TestOpenEndsAreListed(t *testing.T) {
	mark := regexp.MustCompile(`\b(?:TO` + `DO|FIX` + `ME|XX` + `X)\b[^:]*:?\s*(.*)`)
	gaps, err := os.ReadFile(filepath.Join("docs", "GAPS.md"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	sources(t, func(path string, text []byte) {
		for i, line := range strings.Split(string(text), "\n") {
			m := mark.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if what := strings.TrimSpace(m[1]); what == "" || !strings.Contains(string(gaps), what) {
				t.Errorf("%s:%d: open end %q is not in docs/GAPS.md", path, i+1, what)
			}
		}
	}, ".go", ".py", ".c", ".h")
}

// TestNothingPointsOutside: the project's files name no place of the machine that they were written on.
func TestNothingPointsOutside(t *testing.T) {
	outside := regexp.MustCompile(`/wo` + `rk/|/tm` + `p/(?:team|seeds|bench)`)
	sources(t, func(path string, text []byte) {
		for i, line := range strings.Split(string(text), "\n") {
			if outside.MatchString(line) {
				t.Errorf("%s:%d: %s", path, i+1, strings.TrimSpace(line))
			}
		}
	}, ".go", ".py", ".c", ".h", ".sh", ".md", ".toml", ".yml", ".yaml", ".txt", "run")
}
