/* Signatures: read from text, refused when damaged, found in modules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "support/failing.h"
#include "vta/module.h"

static const char good[] =
    "{\"version\": 1, \"name\": \"k\", \"args\": ["
    "{\"name\": \"A \\\"q\\\"\", \"dtype\": \"int8\", \"shape\": [1, 16, \"n\"], \"device\": \"ext_dev\", "
    "\"output\": false}, "
    "{\"name\": \"n\", \"dtype\": \"int32\"}, "
    "{\"name\": \"B\", \"dtype\": \"float32x4\", \"shape\": [], \"device\": \"cpu\", \"output\": true}], "
    "\"computes\": \"kernel k ...\", \"config\": {\"LOG_BLOCK\": 5}, \"later\": [\"what a newer compiler adds\"]}";

TEST_CASE(test_good) {
    vta_signature *s;
    assert_int_equal(vta_signature_parse(good, "good", NULL, NULL, &s), VTA_OK);
    assert_string_equal(vta_signature_name(s), "k");
    assert_string_equal(vta_signature_computes(s), "kernel k ...");
    assert_int_equal(vta_signature_arg_count(s), 3);
    const vta_signature_arg *a = vta_signature_get_arg(s, 0);
    assert_string_equal(a->name, "A \"q\"");
    assert_true(a->is_tensor && !a->is_output);
    assert_int_equal(a->device_type, kDLExtDev);
    assert_int_equal(a->ndim, 3);
    assert_int_equal(a->shape[1], 16);
    assert_int_equal(a->shape[2], -1);
    assert_true(a->dtype.code == kDLInt && a->dtype.bits == 8 && a->dtype.lanes == 1);
    assert_false(vta_signature_get_arg(s, 1)->is_tensor);
    a = vta_signature_get_arg(s, 2);
    assert_true(a->is_output && a->ndim == 0 && a->device_type == kDLCPU);
    assert_true(a->dtype.code == kDLFloat && a->dtype.bits == 32 && a->dtype.lanes == 4);
    assert_null(vta_signature_get_arg(s, 3));
    assert_int_equal(vta_config_block_in(vta_signature_config(s)), 32);
    vta_signature_destroy(s);
    vta_signature_destroy(NULL);
    assert_int_equal(vta_signature_arg_count(NULL), 0);
    assert_null(vta_signature_config(NULL));
}

static void refused(const char *text, vta_status expected, const char *message) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_signature *s = (vta_signature *)(uintptr_t)1;
    vta_status got = vta_signature_parse(text, "k.o: k", NULL, diag, &s);
    if (got != expected || !strstr(vta_diag_text(diag), message))
        fail_msg("%s: %d, %s", text, got, vta_diag_text(diag));
    assert_null(s);
    vta_diag_destroy(diag);
}

#define ARG(text) "{\"version\": 1, \"name\": \"k\", \"args\": [" text "]}"

TEST_CASE(test_damaged) {
    refused("", VTA_PARSE, "k.o: k: the signature is damaged");
    refused("[]", VTA_PARSE, "version, name or args are missing");
    refused("{\"version\": 1, \"name\": \"k\"}", VTA_PARSE, "version, name or args are missing");
    refused("{\"version\": 2, \"name\": \"k\"}", VTA_UNSUPPORTED, "has version 2, this library reads 1");
    refused(ARG("3"), VTA_PARSE, "no name or type");
    refused(ARG("{\"name\": \"A\", \"dtype\": \"complex64\"}"), VTA_PARSE, "a type that does not exist");
    refused(ARG("{\"name\": \"A\", \"dtype\": \"int80\"}"), VTA_PARSE, "a type that does not exist");
    refused(ARG("{\"name\": \"A\", \"dtype\": \"int\"}"), VTA_PARSE, "a type that does not exist");
    refused(ARG("{\"name\": \"A\", \"dtype\": \"int8\", \"shape\": [1], \"device\": \"moon\"}"), VTA_PARSE,
            "a tensor is on no device");
    refused(ARG("{\"name\": \"A\", \"dtype\": \"int8\", \"shape\": [-1], \"device\": \"cpu\"}"), VTA_PARSE,
            "an extent is neither a number nor a name");
    refused(ARG("{\"name\": \"A\", \"dtype\": \"int8\", \"shape\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], "
                "\"device\": \"cpu\"}"),
            VTA_PARSE, "too many dimensions");
    refused("{\"version\": 1, \"name\": \"k\", \"args\": [], \"config\": {\"LOG_BLOCC\": 4}}", VTA_CONFIG, "LOG_BLOCC");
}

/* Every beginning of a good text is refused without harm. */
TEST_CASE(test_cut_short) {
    for (size_t n = 0; n + 1 < sizeof good; n++) {
        char text[sizeof good];
        memcpy(text, good, n);
        text[n] = '\0';
        refused(text, VTA_PARSE, "damaged");
    }
}

TEST_CASE(test_out_of_memory) {
    vta_status status = VTA_NO_MEMORY;
    long n = 0;
    for (; status != VTA_OK; n++) {
        failing f = {.left = n};
        vta_allocator allocator = {failing_resize, &f};
        vta_signature *s;
        status = vta_signature_parse(good, "good", &allocator, NULL, &s);
        assert_true(status == VTA_OK || status == VTA_NO_MEMORY);
        assert_int_equal(status == VTA_OK, s != NULL);
        vta_signature_destroy(s);
        assert_int_equal(f.blocks, 0);
    }
    assert_true(n > 4);
}

static void *lookup(void *ctx, const char *name) {
    if (!strcmp(name, VTA_SIGNATURE_PREFIX "k")) return ctx;
    return !strcmp(name, "k") || !strcmp(name, "plain") ? (void *)(uintptr_t)&vta_module_load : NULL;
}

TEST_CASE(test_in_modules) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_module *m;
    vta_signature *s;
    assert_int_equal(vta_module_wrap("jit", lookup, NULL, (void *)(uintptr_t)good, NULL, diag, &m), VTA_OK);
    assert_int_equal(vta_module_signature(m, "k", NULL, diag, &s), VTA_OK);
    vta_module_destroy(m);
    assert_string_equal(vta_signature_name(s), "k"); /* outlives the module */
    vta_signature_destroy(s);
    assert_int_equal(vta_module_wrap("jit", lookup, NULL, (void *)(uintptr_t)good, NULL, diag, &m), VTA_OK);
    assert_int_equal(vta_module_signature(m, "plain", NULL, diag, &s), VTA_UNSUPPORTED);
    assert_null(s);
    assert_non_null(
        strstr(vta_diag_text(diag), "jit: plain: the object does not say which tensors the function takes"));
    assert_int_equal(vta_module_signature(m, "none", NULL, diag, &s), VTA_NOT_FOUND);
    assert_int_equal(vta_module_signature(NULL, "k", NULL, diag, &s), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_module_signature(m, "k", NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    vta_module_destroy(m);
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }
