/* Small kernels that make integers are computed, as the manual of PTX says; all others are not.
 *
 *   PROGRAM CASE      exit status 0 where it holds; else the line that does not */
#include "check.h"

#include <elf.h>

#define ENTRY(name, parameters) ".visible .entry " name "(\n" parameters ")\n{\n"
#define POINTER(name) "\t.param .u64 .ptr .align 16 " name
#define REGISTERS                                                                              \
    "\t.reg .pred \t%p<9>;\n\t.reg .b16 \t%rs<9>;\n\t.reg .b32 \t%r<30>;\n\t.reg .b64 \t%rd<9>;\n"
#define AT(register, parameter)                                                                \
    "\tld.param.b64 \t" register ", [" parameter "];\n\tcvta.to.global.u64 \t" register ", "  \
    register ";\n"
#define END "\tret;\n}\n"

/* As generate() has them: where the shorter prompt ends, whether there is room, and one more. */
static const char loops[] =
    ENTRY("ends", POINTER("ends_0") ",\n" POINTER("ends_1")) REGISTERS AT("%rd1", "ends_0")
    AT("%rd2", "ends_1")
    "\tmov.u32 \t%r1, %tid.x;\n\tsetp.lt.u32 \t%p1, %r1, 20;\n\tcvt.u64.u32 \t%rd3, %r1;\n"
    "\tadd.s64 \t%rd1, %rd1, %rd3;\n"
    "\tmov.b16 %rs1, 0; @%p1 ld.global.nc.b8 { %rs1 }, [ %rd1 + 0 ];\n"
    "\tmov.b16 %rs2, 0; @%p1 ld.global.nc.b8 { %rs2 }, [ %rd1 + 20 ];\n"
    "\tcvt.u32.u16 \t%r2, %rs1;\n\tcvt.u32.u16 \t%r3, %rs2;\n"
    "\tredux.sync.add.s32 \t%r4, %r2, -1;\n"
    "\tshfl.sync.bfly.b32 \t%r5, %r3, 16, 31, -1;\n\tadd.s32 \t%r3, %r3, %r5;\n"
    "\tshfl.sync.bfly.b32 \t%r5, %r3, 8, 31, -1;\n\tadd.s32 \t%r3, %r3, %r5;\n"
    "\tshfl.sync.bfly.b32 \t%r5, %r3, 4, 31, -1;\n\tadd.s32 \t%r3, %r3, %r5;\n"
    "\tshfl.sync.bfly.b32 \t%r5, %r3, 2, 31, -1;\n\tadd.s32 \t%r3, %r3, %r5;\n"
    "\tshfl.sync.bfly.b32 \t%r5, %r3, 1, 31, -1;\n\tadd.s32 \t%r3, %r3, %r5;\n"
    "\tmin.s32 \t%r6, %r4, %r3;\n\tsetp.ne.b32 \t%p2, %r1, 0;\n\t@%p2 bra \t$L__BB0_2;\n"
    "\tst.global.b32 \t[%rd2], %r6; // by the first thread\n$L__BB0_2:\n" END
    ENTRY("goes_on", POINTER("goes_on_0") ",\n" POINTER("goes_on_1") ",\n" POINTER("goes_on_2"))
    REGISTERS AT("%rd1", "goes_on_0") AT("%rd2", "goes_on_1") AT("%rd3", "goes_on_2")
    "\tld.global.nc.b32 \t%r1, [%rd1];\n\tld.global.nc.b32 \t%r2, [%rd2];\n"
    "\tsetp.lt.s32 \t%p1, %r1, %r2;\n\tselp.b16 \t%rs1, 1, 0, %p1;\n"
    "\tst.global.b8 \t[%rd3], %rs1;\n" END
    ENTRY("next", POINTER("next_0")) REGISTERS AT("%rd1", "next_0")
    "\tld.global.b32 \t%r1, [%rd1];\n\tadd.s32 \t%r2, %r1, 1;\n\tst.global.b32 \t[%rd1], %r2;\n"
    END;

/* Each of their results is in a place of its own. */
#define STORED(n, register) "\tst.global.b64 \t[%rd1+" n "], " register ";\n"
static const char instructions[] =
    ENTRY("table", POINTER("table_0")) REGISTERS AT("%rd1", "table_0")
    "\tmov.b32 \t%r1, -7;\n\tmov.b32 \t%r2, 3;\n"
    "\tdiv.s32 \t%r3, %r1, %r2;\n\tcvt.s64.s32 \t%rd2, %r3;\n" STORED("0", "%rd2")
    "\trem.s32 \t%r3, %r1, %r2;\n\tcvt.s64.s32 \t%rd2, %r3;\n" STORED("8", "%rd2")
    "\tmul.wide.u32 \t%rd2, %r1, %r2;\n" STORED("16", "%rd2")
    "\tmul.wide.s32 \t%rd2, %r1, %r2;\n" STORED("24", "%rd2")
    "\tmul.hi.u32 \t%r3, %r1, %r2;\n\tcvt.u64.u32 \t%rd2, %r3;\n" STORED("32", "%rd2")
    "\tshr.s32 \t%r3, %r1, 40;\n\tcvt.s64.s32 \t%rd2, %r3;\n" STORED("40", "%rd2")
    "\tshr.u32 \t%r3, %r1, 28;\n\tshl.b32 \t%r4, %r3, 40;\n\tadd.s32 \t%r3, %r3, %r4;\n"
    "\tcvt.u64.u32 \t%rd2, %r3;\n" STORED("48", "%rd2")
    "\tmin.u32 \t%r3, %r1, %r2;\n\tmax.s32 \t%r4, %r1, %r2;\n\tmov.b64 \t%rd2, {%r3, %r4};\n"
    STORED("56", "%rd2")
    "\tmov.b32 \t{%rs1, %rs2}, %r1;\n\tcvt.s64.s16 \t%rd2, %rs1;\n" STORED("64", "%rd2")
    "\tprmt.b32 \t%r3, 287454020, %r2, 17185;\n\tcvt.u64.u32 \t%rd2, %r3;\n" STORED("72", "%rd2")
    "\tbfe.s32 \t%r3, %r1, 1, 3;\n\tcvt.s64.s32 \t%rd2, %r3;\n" STORED("80", "%rd2")
    "\tpopc.b32 \t%r3, %r1;\n\tclz.b32 \t%r4, %r2;\n\tmad.lo.s32 \t%r3, %r3, 100, %r4;\n"
    "\tcvt.u64.u32 \t%rd2, %r3;\n" STORED("88", "%rd2")
    "\tsetp.lt.u32 \t%p1, %r2, %r1;\n\tsetp.gt.and.s32 \t%p2, %r2, %r1, %p1;\n"
    "\tselp.b64 \t%rd2, 5, 6, %p2;\n\t@!%p2 mov.b64 \t%rd2, 7;\n" STORED("96", "%rd2")
    "\tshf.l.wrap.b32 \t%r3, %r1, %r2, 4;\n\tcvt.u64.u32 \t%rd2, %r3;\n" STORED("104", "%rd2")
    "\tmov.b32 \t%r3, 0fC0200000;\n\tcvt.rzi.s32.f32 \t%r4, %r3;\n\tcvt.s64.s32 \t%rd2, %r4;\n"
    STORED("112", "%rd2")
    "\tmov.b64 \t%rd2, -1;\n\tadd.cc.s64 \t%rd3, %rd2, 256;\n\taddc.s64 \t%rd2, 4, 0;\n"
    STORED("120", "%rd2") STORED("128", "%rd3") END;
static const int64_t results[] = {-2, -1, 3L * 4294967289L, -21, 2, -1, 15, 3L | 3L << 32, -7,
                                  0x03112233, -4, 30 * 100 + 30, 5, 63, -2, 5, 255};

/* Backwards through memory that a block shares; what floats make, and what nobody here knows. */
static const char others[] =
    ENTRY("backwards", POINTER("backwards_0") ",\n" POINTER("backwards_1")) REGISTERS
    "\t// demoted variable\n\t.shared .align 4 .b8 shared_0[256];\n" AT("%rd1", "backwards_0")
    AT("%rd2", "backwards_1")
    "\tmov.u32 \t%r1, %tid.x;\n\tmov.u32 \t%r2, %ctaid.x;\n\tmov.u32 \t%r3, %ntid.x;\n"
    "\tmad.lo.s32 \t%r4, %r2, %r3, %r1;\n\tmul.wide.u32 \t%rd3, %r4, 4;\n"
    "\tadd.s64 \t%rd4, %rd1, %rd3;\n\tadd.s64 \t%rd5, %rd2, %rd3;\n"
    "\tld.global.b32 \t%r5, [%rd4];\n\tmov.b64 \t%rd6, shared_0;\n"
    "\tmul.wide.u32 \t%rd7, %r1, 4;\n\tadd.s64 \t%rd7, %rd6, %rd7;\n"
    "\tst.shared.b32 \t[%rd7], %r5;\n\tbar.sync \t0;\n\txor.b32 \t%r6, %r1, 63;\n"
    "\tmul.wide.u32 \t%rd7, %r6, 4;\n\tadd.s64 \t%rd7, %rd6, %rd7;\n"
    "\tld.shared.b32 \t%r7, [%rd7];\n\tst.global.b32 \t[%rd5], %r7;\n" END
    ENTRY("doubles", POINTER("doubles_0")) REGISTERS AT("%rd1", "doubles_0")
    "\tld.global.b32 \t%r1, [%rd1];\n\tadd.rn.f32 \t%r2, %r1, %r1;\n"
    "\tst.global.b32 \t[%rd1], %r2;\n" END
    ENTRY("adds", POINTER("adds_0")) REGISTERS AT("%rd1", "adds_0")
    "\tld.global.v2.b32 \t{%r1, %r2}, [constant];\n\tadd.s32 \t%r3, %r1, %r2;\n"
    "\tst.global.b32 \t[%rd1], %r3;\n" END
    ENTRY("votes", POINTER("votes_0")) REGISTERS AT("%rd1", "votes_0")
    "\tvote.sync.all.pred \t%p1, %p2, -1;\n\tselp.b32 \t%r1, 1, 0, %p1;\n"
    "\tst.global.b32 \t[%rd1], %r1;\n" END;

static const char names[] =
    "\0.names\0.nv_debug_ptx_txt\0.symtab\0.nv.global.init\0constant";
static const int32_t initial[] = {40, 2};
static struct {
    Elf64_Ehdr header;
    Elf64_Shdr sections[6];
    Elf64_Sym symbols[2];
    char names[sizeof names], text[8192];
    int32_t initial[2];
} file;

static Elf64_Shdr section(const char *name, unsigned type, void *from, size_t bytes) {
    const char *found = names + 1;
    while (strcmp(found, name)) found += strlen(found) + 1;
    return (Elf64_Shdr){.sh_name = (unsigned)(found - names), .sh_type = type, .sh_link = 1,
                        .sh_offset = (size_t)((char *)from - (char *)&file), .sh_size = bytes};
}

/* A module as ptxas --generate-line-info leaves it, whose lines end in zeros; and a constant. */
static CUmodule assembled(const char *text) {
    CUmodule module;
    size_t bytes = strlen(text);
    for (size_t i = 0; i < bytes; i++) file.text[i] = text[i] == '\n' ? 0 : text[i];
    memcpy(file.names, names, sizeof names);
    memcpy(file.initial, initial, sizeof initial);
    memcpy(file.header.e_ident, ELFMAG, SELFMAG);
    file.header.e_shoff = (size_t)((char *)file.sections - (char *)&file);
    file.header.e_shnum = 6, file.header.e_shstrndx = 1;
    file.sections[1] = section(".names", SHT_STRTAB, file.names, sizeof names);
    file.sections[2] = section(".nv_debug_ptx_txt", SHT_PROGBITS, file.text, bytes);
    file.sections[3] = section(".symtab", SHT_SYMTAB, file.symbols, sizeof file.symbols);
    file.sections[4] = section(".nv.global.init", SHT_PROGBITS, file.initial, sizeof initial);
    file.symbols[1] = (Elf64_Sym){.st_name = section("constant", 0, &file, 0).sh_name,
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                                  .st_shndx = 4, .st_size = sizeof initial};
    HOLDS(!cuModuleLoadData(&module, &file));
    memset(&file, 0, sizeof file); /* which the driver does not need any more */
    return module;
}

static CUresult called(CUmodule module, const char *name, unsigned blocks, unsigned threads,
                       void **arguments) {
    CUfunction function;
    HOLDS(!cuModuleGetFunction(&function, module, name));
    return cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL);
}

static int is_true(CUdeviceptr place) {
    char found;
    HOLDS(!cuMemcpyDtoHAsync(&found, place, 1, NULL) && !cuStreamSynchronize(NULL));
    return found;
}

static void loops_end_by_what_the_device_computes(void) {
    CUmodule module = assembled(loops);
    CUdeviceptr device; /* a mask of 2 x 20, four numbers and a predicate */
    char mask[40] = {0};
    int turns = 0, inner_turns = 0, bounds[] = {20, 3};
    memset(mask, 1, 6), memset(mask + 20, 1, 9);
    HOLDS(!cuMemAlloc(&device, 64));
    CUdeviceptr i = device + 40, all = device + 44, k = device + 48, most = device + 52,
                more = device + 56;
    HOLDS(!cuMemcpyHtoD(device, mask, 40));
    HOLDS(!cuMemcpyHtoD(all, &bounds[0], 4) && !cuMemcpyHtoD(most, &bounds[1], 4));
    HOLDS(!called(module, "ends", 1, 32, (void *[]){&device, &i}));
    double start = now_ms();
    for (;; turns++) {
        HOLDS(!called(module, "goes_on", 1, 1, (void *[]){&i, &all, &more}));
        if (!is_true(more)) break;
        HOLDS(!cuMemsetD32(k, 0, 1));
        for (;; inner_turns++) {
            HOLDS(!called(module, "goes_on", 1, 1, (void *[]){&k, &most, &more}));
            if (!is_true(more)) break;
            HOLDS(!called(module, "next", 1, 1, (void *[]){&k}));
        }
        HOLDS(!called(module, "next", 1, 1, (void *[]){&i}));
    }
    HOLDS(turns == 14 && inner_turns == 14 * 3);
    HOLDS(now_ms() - start >= 15 + 14 * (4 + 3 + 1)); /* and each kernel takes its time */
    HOLDS(!cuMemFree(device) && !cuModuleUnload(module));
}

static void kernels_of_a_graph_compute_each_time(void) {
    CUmodule module = assembled(loops);
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec instance;
    CUdeviceptr numbers, other;
    int found[2];
    HOLDS(!cuMemAlloc(&numbers, 8) && !cuMemsetD32(numbers, 0, 2));
    CUDA_KERNEL_NODE_PARAMS kernel = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1,
                                      .blockDimY = 1, .blockDimZ = 1,
                                      .kernelParams = (void *[]){&numbers}};
    HOLDS(!cuModuleGetFunction(&kernel.func, module, "next") && !cuGraphCreate(&graph, 0));
    HOLDS(!cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    HOLDS(!cuGraphInstantiate(&instance, graph, 0));
    for (int i = 0; i < 3; i++) HOLDS(!cuGraphLaunch(instance, NULL));
    other = numbers + 4;
    kernel.kernelParams = (void *[]){&other};
    HOLDS(!cuGraphExecKernelNodeSetParams(instance, node, &kernel));
    HOLDS(!cuGraphLaunch(instance, NULL) && !cuMemcpyDtoH(found, numbers, 8));
    HOLDS(found[0] == 3 && found[1] == 1);
    HOLDS(!cuGraphExecDestroy(instance) && !cuGraphDestroy(graph) && !cuMemFree(numbers));
    HOLDS(!cuModuleUnload(module));
}

static void instructions_do_what_the_manual_says(void) {
    CUmodule module = assembled(instructions);
    CUdeviceptr device;
    int64_t found[sizeof results / sizeof *results];
    HOLDS(!cuMemAlloc(&device, sizeof found));
    HOLDS(!called(module, "table", 1, 1, (void *[]){&device}));
    HOLDS(!cuMemcpyDtoH(found, device, sizeof found));
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        if (found[i] != results[i]) not_so((int)i, "the result of this place");
    HOLDS(!cuMemFree(device) && !cuModuleUnload(module));
}

static void threads_of_a_block_share_memory_and_wait_for_each_other(void) {
    CUmodule module = assembled(others);
    CUdeviceptr from, to;
    int numbers[128], found[128];
    for (int i = 0; i < 128; i++) numbers[i] = i;
    HOLDS(!cuMemAlloc(&from, sizeof numbers) && !cuMemAlloc(&to, sizeof numbers));
    HOLDS(!cuMemcpyHtoD(from, numbers, sizeof numbers));
    HOLDS(!called(module, "backwards", 2, 64, (void *[]){&from, &to}));
    HOLDS(!cuMemcpyDtoH(found, to, sizeof found));
    for (int i = 0; i < 128; i++) HOLDS(found[i] == (i ^ 63));
    HOLDS(!called(module, "backwards", 65, 64, (void *[]){&from, &to})); /* which is too large */
    HOLDS(!cuMemcpyDtoH(found, from, sizeof found) && found[1] == 1);
    HOLDS(!cuMemFree(from) && !cuMemFree(to) && !cuModuleUnload(module));
}

static void kernels_for_floats_compute_nothing(void) {
    CUmodule module = assembled(others);
    CUdeviceptr device;
    float number = 1.5, found;
    HOLDS(!cuMemAlloc(&device, 4) && !cuMemcpyHtoD(device, &number, 4));
    HOLDS(!called(module, "doubles", 1, 1, (void *[]){&device}));
    HOLDS(!cuMemcpyDtoH(&found, device, 4) && found == number);
    HOLDS(!cuMemFree(device) && !cuModuleUnload(module));
}

static void what_is_not_understood_is_refused(void) {
    CUmodule module = assembled(others);
    CUdeviceptr device;
    HOLDS(!cuMemAlloc(&device, 4));
    HOLDS(called(module, "votes", 1, 1, (void *[]){&device}) == CUDA_ERROR_NOT_SUPPORTED);
    HOLDS(!cuMemFree(device) && !cuModuleUnload(module));
}

static void variables_of_a_module_are_in_the_device(void) {
    CUmodule module = assembled(others);
    CUdeviceptr place, device;
    size_t bytes;
    int found;
    HOLDS(!cuModuleGetGlobal(&place, &bytes, module, "constant") && bytes == sizeof initial);
    HOLDS(!memcmp((void *)place, initial, bytes));
    HOLDS(cuModuleGetGlobal(&place, &bytes, module, "other") == CUDA_ERROR_NOT_FOUND);
    HOLDS(!cuMemAlloc(&device, 4) && !called(module, "adds", 1, 1, (void *[]){&device}));
    HOLDS(!cuMemcpyDtoH(&found, device, 4) && found == initial[0] + initial[1]);
    HOLDS(!cuMemFree(device) && !cuModuleUnload(module));
}

static const Case cases[] = {
    CASE(loops_end_by_what_the_device_computes),
    CASE(kernels_of_a_graph_compute_each_time),
    CASE(instructions_do_what_the_manual_says),
    CASE(threads_of_a_block_share_memory_and_wait_for_each_other),
    CASE(kernels_for_floats_compute_nothing),
    CASE(what_is_not_understood_is_refused),
    CASE(variables_of_a_module_are_in_the_device),
};

MAIN(cases)
