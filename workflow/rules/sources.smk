# The folder of this workflow's sources: the one that has this file, or, if another workflow uses
# this one as a module from a repository, a copy of that commit. Rules run programs and read
# templates, which Snakemake would not fetch.
import io
import os
import sys
import tarfile
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp


def source_folder(rules):
    """Return the folder of the sources, given that of the rules: a path, or one in a repository."""
    if isinstance(rules, os.PathLike):
        return Path(os.path.relpath(Path(rules).parent.parent))
    repository = rules.hosted_repo.repo
    commit = repository.git.rev_parse(f"{rules.ref}^{{commit}}")
    folder = rules.cache_path / "millistep" / commit
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        content = io.BytesIO(repository.git.archive(commit, stdout_as_string=False))
        partial = Path(mkdtemp(dir=folder.parent))
        partial.chmod(0o755)  # others may share the cache
        with tarfile.open(fileobj=content) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(partial)
        try:
            partial.rename(folder)
        except OSError:  # another start of Snakemake was quicker
            rmtree(partial)
            if not folder.is_dir():
                raise
    return folder


SOURCES = source_folder(workflow.current_basedir)
sys.path.insert(0, str((SOURCES / "workflow").absolute()))
