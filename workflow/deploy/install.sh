# Installs the lock that the function `lock` prints into the environment whose python comes first on
# the PATH, bytecode too: by uv where it is there, by pip where it is not or does not succeed.
# For plain sh; envs/lock.py makes it a part of every post-deploy script.
with_uv() {
    uv pip install --quiet --python "$(command -v python)" --compile-bytecode \
        --no-deps --require-hashes -r -
}
with_pip() {
    python -I -m pip install --quiet --no-input --disable-pip-version-check --retries 1 \
        --no-warn-script-location --no-deps --require-hashes -r /dev/stdin
}
install_lock() {
    # The lock that has uv itself: all else of it is installed by that.
    if ! command -v uv >/dev/null 2>&1 && lock | grep -q '^uv=='; then
        lock | awk '/^[^ ]/ {keep = /^uv==/} keep' | with_pip || return
    fi
    if command -v uv >/dev/null 2>&1; then
        # A page of wheels that cannot be reached ends uv, even where the index has all of them.
        lock | grep -v '^--find-links ' | with_uv && return
        if lock | grep -q '^--find-links '; then
            lock | with_uv && return
        fi
        echo "uv did not install all of it, pip goes on"
    fi
    lock | with_pip
}
