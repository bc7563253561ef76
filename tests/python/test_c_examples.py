"""The examples in C of the public headers and of the documents compile, without a warning, and link."""

import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import common

#: What examples use without saying where it comes from: words of the text around them, declared.
COMMON = "vta_diag *diag; const vta_config *config; const void *picture; size_t picture_bytes, bytes; float scores[1000];"
DECLARED = {
    "build.h": "te_schedule *schedule; vtac_arg args[3]; DLTensor *tensors[3];",
    "compile.h": "size_t count, size; const void *pictures[9]; const vtac_graph *graph; vtac_calibration *calibration; "
                 "vtac_quantized *quantized; uint8_t *bytes;",
    "detect.h": "vta_detect_tensor output; vta_preprocess how; const vta_image *image; const void *data;",
    "image.h": "float input[3 * 224 * 224];",
    "import.h": "const void *bytes; size_t size, onnx_size; uint8_t *onnx; vtac_graph *graph;",
    "language.h": "vta_instance *instance; const int32_t *prompt; size_t count; int32_t token; const float *scores;",
    "ops.h": "vta_packed_function function;",
    "te_stmt.h": "te_context *c; te_expr *n; te_tensor *X, *Y;",
    "text.h": "const char *text; size_t count, size; int32_t *tokens; char *again;",
    "tune.h": "vtac_op *op; vtac_tune_result result; vtac_tune_log *log;",
    "models.md": "vta_model *model; vta_instance *instance;",
    "runtime.md": "void *host, *c, *site; int (*finit)(void *);",
}
FLAGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-uninitialized", "-Wno-maybe-uninitialized"]


def of_header(text):
    """Indented blocks of the comments of a header."""
    for comment in re.findall(r"/\*(.*?)\*/", text, re.S):
        block = []
        for line in [*comment.split("\n"), ""]:
            if line.startswith(" *     ") or line.strip() == "*" and block:
                block.append(line[3:])
            else:
                yield "\n".join(block)
                block = []


def examples():
    """(file, source) of all: blocks that are C, which have statements or are a function's head."""
    for path in sorted(glob.glob(os.path.join(common.ROOT, "include", "vta", "*.h"))):
        with open(path, encoding="utf-8") as file:
            for block in of_header(file.read()):
                block = block.strip()
                if block.endswith(")") and re.match(r"\w+ \w+\(", block):
                    block += ";"  # a function's head
                if re.search(r";\s*(//.*)?$", block, re.M) and not block.startswith("{"):
                    yield os.path.basename(path), block
    for path in sorted([os.path.join(common.ROOT, "README.md"), *glob.glob(os.path.join(common.ROOT, "docs", "*.md"))]):
        with open(path, encoding="utf-8") as file:
            for block in re.findall(r"^```c\n(.*?)^```", file.read(), re.S | re.M):
                yield os.path.basename(path), block


def source(found):
    """A program with a function for each example."""
    parts = ['#include <string.h>', '#include "vta/vta.h"', '#include "vta/vtac.h"', "int main(void) { return 0; }"]
    for i, (name, block) in enumerate(found):
        own = DECLARED.get(name, "")
        words = set(re.findall(r"\w+", own))
        declared = " ".join(d + ";" for d in COMMON.split(";") if d.strip() and not words & set(re.findall(r"(\w+)(?:\[\d+\])?(?=,|$)", d)))
        parts += [f"/* {name} */", f"void example_{i}(void);", f"void example_{i}(void) {{", declared + own, "{",
                  f'#line 1 "{name}, example {i}"', block, "}", "}"]
    return "\n".join(parts) + "\n"


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Examples(unittest.TestCase):
    def compile(self, text):
        """What the compiler and the linker say."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "examples.c")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
            run = subprocess.run(["cc", *FLAGS, "-I", os.path.join(common.ROOT, "include"), path, "-o", os.path.join(folder, "examples"),
                                  "-L", common.BUILD, "-lvtac", "-lvta", "-Wl,--allow-shlib-undefined"],
                                 capture_output=True, text=True, check=False, env=env)
            return "" if run.returncode == 0 else run.stderr

    def test_all_compile_and_link(self):
        found = list(examples())
        self.assertGreater(len(found), 12)
        self.assertGreater(len({name for name, _ in found}), 10)
        self.assertEqual(self.compile(source(found)), "")

    def test_a_wrong_one_is_seen(self):
        wrong = [("ops.h", "vtac_op *op; vtac_op_schedule(op, NULL, diag);"), ("image.h", "no_such_function(diag);"),
                 ("README.md", "int64_t x = diag;")]
        for one in wrong:
            self.assertIn("error", self.compile(source([one])), one)


if __name__ == "__main__":
    unittest.main()
