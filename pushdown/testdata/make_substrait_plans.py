#!/usr/bin/env python3
"""Writes substrait_plans.json: plans, made by Substrait's own protobuf code, beside what they ask.

    make_substrait_plans.py > substrait_plans.json         (needs substrait-protobuf 0.85)
"""

import base64
import json

from google.protobuf import text_format
from substrait import plan_pb2

DECLARED = """
extension_urns { extension_urn_anchor: 1 urn: "extension:io.substrait:functions_comparison" }
extensions { extension_function { extension_urn_reference: 1 function_anchor: 1 name: "gt:any_any" } }
extensions { extension_function { extension_urn_reference: 1 function_anchor: 2 name: "equal:any_any" } }
"""

READ = """read {
  %s
  base_schema {
    names: "id" names: "city" names: "s" names: "x" names: "fare"
    struct {
      types { i64 { nullability: NULLABILITY_NULLABLE } } types { string { nullability: NULLABILITY_NULLABLE } }
      types { struct { types { i32 { nullability: NULLABILITY_NULLABLE } } nullability: NULLABILITY_NULLABLE } }
      types { fp64 { nullability: NULLABILITY_NULLABLE } }
      nullability: NULLABILITY_REQUIRED
    }
  }
  named_table { names: "hudi" names: "main" names: "trips" }
}"""


def ref(n):
    return "selection { direct_reference { struct_field { field: %d } } root_reference {} }" % n


def call(function, column, literal):
    return """scalar_function { function_reference: %d output_type { bool { nullability: NULLABILITY_NULLABLE } }
      arguments { value { %s } } arguments { value { literal { %s } } } }""" % (function, ref(column), literal)


def root(rel, *names):
    return DECLARED + "relations { root { input { %s } %s } }" % (rel, " ".join('names: "%s"' % n for n in names))


read = READ % ""
filtered = "filter { input { %s } condition { %s } }" % (read, call(1, 0, "i64: 5"))
projected = "project { common { emit { output_mapping: 4 output_mapping: 5 } } input { %s } expressions { %s } expressions { %s } }" % (filtered, ref(1), ref(0))
PLANS = [
    ("read", root(read, "id", "city", "s", "x", "fare"), "[hudi main trips] [{id id} {city city} {s s} {fare fare}] <nil> 0 -1"),
    ("relation without a root", DECLARED + "relations { rel { %s } }" % read, "[hudi main trips] [{id id} {city city} {s s} {fare fare}] <nil> 0 -1"),
    ("filter", root(filtered, "a", "b", "c", "d", "e"), "[hudi main trips] [{id a} {city b} {s c} {fare e}] id > 5 0 -1"),
    ("filter and project", root(projected, "c", "i"), "[hudi main trips] [{city c} {id i}] id > 5 0 -1"),
    ("fetch", root("fetch { input { %s } offset: 2 count: 3 }" % projected, "c", "i"), "[hudi main trips] [{city c} {id i}] id > 5 2 3"),
    ("fetch by expressions", root("fetch { input { %s } offset_expr { literal { i64: 2 } } count_expr { literal { i64: 3 } } }" % projected, "c", "i"), "[hudi main trips] [{city c} {id i}] id > 5 2 3"),
    ("fetch of nothing", root("fetch { input { %s } count: 0 }" % projected, "c", "i"), "[hudi main trips] [{city c} {id i}] id > 5 0 0"),
    ("fetch of all", root("fetch { input { %s } count: -1 }" % projected, "c", "i"), "[hudi main trips] [{city c} {id i}] id > 5 0 -1"),
    ("filter after project", root("filter { input { %s } condition { %s } }" % (projected, call(2, 0, 'string: "x"')), "c", "i"), "[hudi main trips] [{city c} {id i}] id > 5 AND city = 'x' 0 -1"),
    ("filter and mask of a read", root(READ % ("filter { %s } projection { select { struct_items { field: 3 } struct_items { field: 0 } } }" % call(1, 3, "fp64: 2.5")), "f", "i"), "[hudi main trips] [{fare f} {id i}] fare > 2.5e+00 0 -1"),
    ("project after fetch", root("project { common { emit { output_mapping: 4 } } input { fetch { input { %s } count: 1 } } expressions { %s } }" % (read, ref(3)), "f"), "[hudi main trips] [{fare f}] <nil> 0 1"),
    ("filter after fetch", root("filter { input { fetch { input { %s } count: 1 } } condition { %s } }" % (read, call(1, 0, "i64: 5")), "a", "b", "c", "d", "e"), "plan"),
    ("fetch of a fetch", root("fetch { input { fetch { input { %s } count: 5 } } count: 1 }" % read, "a", "b", "c", "d", "e"), "plan"),
    ("aggregate", root("aggregate { input { %s } }" % read), "plan"),
    ("sort", root("sort { input { %s } }" % read, "a", "b", "c", "d", "e"), "plan"),
    ("computed column", root("project { input { %s } expressions { %s } }" % (read, call(1, 0, "i64: 5")), "a", "b", "c", "d", "e", "f"), "plan"),
    ("files", root("read { base_schema { names: \"a\" struct { types { i64 {} } } } local_files { items { uri_file: \"/x\" } } }", "a"), "plan"),
    ("two relations", root(read, "a", "b", "c", "d", "e") + "relations { rel { %s } }" % read, "plan"),
    ("no relation", DECLARED, "plan"),
    ("too few names", root(projected, "c"), "text"),
    ("a column that is not there", root("project { common { emit { output_mapping: 9 } } input { %s } }" % read, "a"), "text"),
    ("a relation of nothing", DECLARED + "relations { root { input { } } }", "text"),
]

print(json.dumps([
    {"name": name, "plan": base64.b64encode(text_format.Parse(text, plan_pb2.Plan()).SerializeToString()).decode(), "want": want}
    for name, text, want in PLANS
], indent=1))
