// node unpack.js PACKAGES FOLDER: Chromium with its libraries and fonts, out of what npm has installed.
"use strict";
const fs = require("node:fs"), path = require("node:path"), zlib = require("node:zlib");
const { pipeline } = require("node:stream/promises");

const [packages, folder] = process.argv.slice(2);
const packed = path.join(packages, "@sparticuz", "chromium", "bin");
const read = (name) => fs.createReadStream(path.join(packed, `${name}.br`)).pipe(zlib.createBrotliDecompress());

async function unpack() {
  const { extract } = require(path.join(packages, "tar-fs"));
  await pipeline(read("chromium"), fs.createWriteStream(path.join(folder, "chromium"), { mode: 0o755 }));
  for (const name of ["al2023.tar", "swiftshader.tar", "fonts.tar"]) await pipeline(read(name), extract(folder));
  for (const name of ["DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"]) {
    fs.copyFileSync(path.join(packages, "dejavu-fonts-ttf", "ttf", name), path.join(folder, "fonts", name));
  }
  // The libraries' own list names folders of another machine; these fonts alone make the pictures the same everywhere.
  fs.writeFileSync(path.join(folder, "fonts.conf"), `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`);
}

unpack();
