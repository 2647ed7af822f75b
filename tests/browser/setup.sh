#!/bin/sh
# A Chromium for the tests of pages: the one that is there, else Debian's where we may install it.
# Without one those tests are skipped, and say so.
for name in "${DEMOSPEC_CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "no Chromium: tests of pages will be skipped (install the package chromium, or set DEMOSPEC_CHROMIUM)"
  exit 0
fi
echo "installing Chromium for the tests of pages"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { apt-get install -y --no-install-recommends chromium fonts-dejavu-core >"$log" 2>&1 ||
       { apt-get update >>"$log" 2>&1 &&
         apt-get install -y --no-install-recommends chromium fonts-dejavu-core >>"$log" 2>&1; }; }; then
  tail -3 "$log"
  echo "Chromium could not be installed: tests of pages will be skipped"
fi
rm -f "$log"
