# Installs the lock that the function `lock` prints for the interpreter $python, bytecode included.
# uv installs it if there is one. pip does without uv, or if uv fails. If $again is set, packages that
# seem to be there are reinstalled: an interrupted attempt leaves them without some of their files.
# For plain sh; envs/lock.py copies it into post-deploy scripts.
with_uv() {
    uv pip install --quiet --python "$python" ${again:+--reinstall} --compile-bytecode \
        --index-strategy unsafe-best-match --no-deps --require-hashes -r -
}
with_pip() {
    "$python" -I -m pip install --quiet --no-input --disable-pip-version-check --retries 1 \
        --no-warn-script-location ${again:+--force-reinstall} --no-deps --require-hashes -r /dev/stdin
}
install_lock() {
    if command -v uv >/dev/null 2>&1; then
        export UV_HTTP_RETRIES="${UV_HTTP_RETRIES:-1}"
        # A page of wheels that cannot be reached ends uv, even if the index has all wheels.
        lock | grep -v '^--find-links ' | with_uv && return
        if lock | grep -q '^--find-links '; then
            lock | with_uv && return
        fi
        echo "uv did not install the lock, pip goes on"
    fi
    lock | with_pip
}
