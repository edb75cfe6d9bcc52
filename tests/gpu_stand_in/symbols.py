"""Which libraries the stand-in has, which functions may do nothing, and which are missing.

A function that a wheel asks for is one of three: written down in ``src``, listed here as harmless
(it returns success and does nothing, because nothing is to be seen of it on a simulated device), or
missing: then it says its name on stderr and returns its library's error.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Library:
    """A shared library by its file's name.

    source: the file in ``src`` and the beginning of more of them (``cuda_memory.c``), None where
    nothing is written down. names: a pattern of those that are this library's, for wheels that ask
    for a name without its library. version: of its names.
    """

    source: str | None
    names: str
    version: str = "{name}"


def libraries(cuda: int) -> dict[str, Library]:
    """The libraries by the names of their files, for a major version of CUDA."""
    new = cuda >= 13
    return {
        f"libcudart.so.{cuda}": Library("cudart", r"_*cuda[A-Z]"),
        "libcuda.so.1": Library("cuda", r"cu(?!File)[A-Z]", version=""),
        f"libcublas.so.{cuda}": Library("cublas", r"cublas(?!Lt)"),
        f"libcublasLt.so.{cuda}": Library("cublaslt", r"cublasLt"),
        "libcudnn.so.9": Library("cudnn", r"cudnn"),
        f"libnvrtc.so.{cuda}": Library("nvrtc", r"nvrtc"),
        "libnvidia-ml.so.1": Library("nvml", r"nvml", version=""),
        f"libcufft.so.{12 if new else 11}": Library(None, r"cufft"),
        "libcurand.so.10": Library(None, r"curand"),
        f"libcusolver.so.{12 if new else 11}": Library(None, r"cusolver"),
        "libcusparse.so.12": Library(None, r"cusparse(?!Lt)"),
        "libcusparseLt.so.0": Library(None, r"cusparseLt", version=""),
        "libnccl.so.2": Library(None, r"nccl", version=""),
        "libcufile.so.0": Library(None, r"cuFile", version=""),
        f"libcupti.so.{cuda}": Library("cupti", r"cupti"),
        "libnvshmem_host.so.3": Library(None, r"nvshmem", version="NVSHMEM"),
    }


def sources(library: Library, folder: Path) -> list[Path]:
    """The files in which a library is written down."""
    if not library.source:
        return []
    return [folder / f"{library.source}.c", *sorted(folder.glob(f"{library.source}_*.c"))]


# Hints, limits and rights that make no difference to a simulated device.
_HARMLESS = """
    __cudaRegisterFatBinaryEnd __cudaUnregisterFatBinary
    cudaSetDeviceFlags cudaDeviceSetLimit cudaFuncSetAttribute cudaFuncSetCacheConfig
    cudaKernelSetAttributeForDevice cudaMemPoolSetAttribute cudaMemPoolSetAccess cudaMemPoolTrimTo
    cudaGraphUpload cudaProfilerStart cudaProfilerStop
    cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxSetFlags_v2 cuFuncSetAttribute
    cuFuncSetCacheConfig cuKernelSetAttribute cuMemAddressFree cuGraphUpload
    cuGraphKernelNodeSetAttribute
    cublasSetWorkspace_v2 cublasSetAtomicsMode cublasSetSmCountTarget
    cudnnBackendFinalize cudnnBackendDestroyDescriptor cudnnGraphVersionCheck cudnnOpsVersionCheck
    nvrtcAddNameExpression nvrtcCompileProgram
    cuptiActivitySetAttribute cuptiActivityEnableRuntimeApi cuptiActivityEnableDriverApi
"""
HARMLESS = tuple(_HARMLESS.split())
# Looked up by PyTorch when it needs one of them; if one is not there, that is an error of its own.
_LOOKED_UP = """
    nvmlDeviceGetGpuFabricInfoV nvmlDeviceGetNvLinkRemoteDeviceType
    nvmlDeviceGetNvLinkRemotePciInfo_v2 nvmlDeviceGetP2PStatus
"""
LOOKED_UP = tuple(_LOOKED_UP.split())
# Versions that JAX wants to know before it begins: those of its lock, in the words of each library.
VERSIONS = {"cufftGetVersion": 11401}
PARTS_OF_VERSIONS = {"cusparseGetProperty": (12, 5, 10)}
# Functions that launch once on the stream of the handle that is their first argument.
PRODUCTS = re.compile(r"cublas(Gem[mv]|Dot|[SDCZH](gem[mv]|dot|trsm|syrk))\w*")


NAMES = r"(?:_*cu[A-Za-z]|nvrtc|nccl|nvshmem|nvml)"


def wanted(binaries: list[Path]) -> dict[str, str]:
    """Names that wheels leave to such libraries, each with its version, which may be empty."""
    found = {}
    for binary in binaries:
        for line in _listed(binary, "-D", "--undefined-only").splitlines():
            name, _, version = line.split()[-1].partition("@")
            if re.match(NAMES, name):
                found[name] = version
    return found


def looked_up(binaries: list[Path]) -> dict[str, str]:
    """Names that libraries of XLA and TensorFlow look up when they first call them, by a function
    so named in each of them. They link to no library of CUDA's.
    """
    found = {}
    for binary in binaries:
        listed = _listed(binary, "--defined-only", "--format=posix")
        found |= {name: "" for name in re.findall(rf"^({NAMES}\w*) [tT] ", listed, re.M)}
    return found


def stubs(library: Library, missing: list[str]) -> str:
    """C source of the functions that a library's own source does not have."""
    fail = f"missing_{library.source}"
    lines = [f"int {fail}(const char *);" if library.source else "int log_missing(const char *);"]
    if library.source == "cublas":
        lines.append("int product(void *, const char *);")
    for name in missing:
        if name in HARMLESS:
            lines.append(f"int {name}(void) {{ return 0; }}")
        elif name in VERSIONS:
            lines.append(f"int {name}(int *value) {{ *value = {VERSIONS[name]}; return 0; }}")
        elif name in PARTS_OF_VERSIONS:
            parts = ", ".join(map(str, PARTS_OF_VERSIONS[name]))
            answer = f"static int parts[] = {{{parts}}}; *value = parts[which]; return 0;"
            lines.append(f"int {name}(int which, int *value) {{ {answer} }}")
        elif PRODUCTS.fullmatch(name):
            lines.append(f'int {name}(void *handle) {{ return product(handle, "{name}"); }}')
        elif library.source:
            lines.append(f'int {name}(void) {{ return {fail}("{name}"); }}')
        else:
            lines.append(f'int {name}(void) {{ log_missing("{name}"); return 999; }}')
    return "\n".join(lines) + "\n"


def defined(compiled: Path) -> set[str]:
    """Functions that an object file offers to others."""
    return {line.split()[-1] for line in _listed(compiled, "--defined-only", "-g").splitlines()}


def _listed(binary: Path, *options: str) -> str:
    command = ["nm", *options, str(binary)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def of_library(library: Library, version: str, wishes: dict[str, str]) -> set[str]:
    """The functions of a library: those of the wishes that are its own, and the harmless ones.

    A request is recognized by its version if it has one, else by the beginning of its name.
    """
    pattern = re.compile(library.names)
    asked = {
        name
        for name, wanted_version in wishes.items()
        if (wanted_version == version if wanted_version else pattern.match(name))
    }
    return asked | {name for name in (*HARMLESS, *LOOKED_UP) if pattern.match(name)}
