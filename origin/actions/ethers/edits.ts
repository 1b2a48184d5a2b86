import { CONVERTED_MAX_LENGTH } from './cryptography/texts.ts'

/**
 * Replacement in the published source of ethers. The edits remove loops over characters, and tables, that dominate the
 * cost of a call.
 */
type SourceEdit = { from: string; to: string }

export const EDITS: Record<string, readonly SourceEdit[]> = {
  /*
   * Replaces loops over hex characters, which nearly every ethers call uses. The loops still handle texts of more than
   * a megabyte, because the interrupt handler can stop a loop in the guest.
   */
  '@ethersproject/bytes/lib.esm/index.js': [
    {
      from: 'const logger = new Logger(version);\n',
      to: `const logger = new Logger(version);
const { bytesOfHex, hexOf } = host;
const HEX = /^0x[0-9A-Fa-f]*$/;
const HOST_MAX = ${CONVERTED_MAX_LENGTH - 2};
`,
    },
    {
      from: '!value.match(/^0x[0-9A-Fa-f]*$/)',
      to: '!HEX.test(value)',
    },
    {
      from: `        const result = [];
        for (let i = 0; i < hex.length; i += 2) {`,
      to: `        if (hex.length < HOST_MAX)
            return new Uint8Array(bytesOfHex("0x" + hex, hex.length + 2));
        const result = [];
        for (let i = 0; i < hex.length; i += 2) {`,
    },
    {
      from: `        let result = "0x";
        for (let i = 0; i < value.length; i++) {`,
      to: `        if (value instanceof Uint8Array && value.length < HOST_MAX)
            return hexOf(value.buffer, value.byteOffset, value.length);
        let result = "0x";
        for (let i = 0; i < value.length; i++) {`,
    },
    {
      from: `    while (value.length < 2 * length + 2) {
        value = "0x0" + value.substring(2);
    }
    return value;`,
      to: `    return value.length < 2 * length + 2 ? "0x" + value.substring(2).padStart(Math.ceil(2 * length), "0") : value;`,
    },
  ],
  '@ethersproject/rlp/lib.esm/index.js': [
    {
      from: 'return hexlify(_encode(object));',
      to: 'return hexlify(new Uint8Array(_encode(object)));',
    },
  ],
  '@ethersproject/address/lib.esm/index.js': [
    {
      from: 'function getChecksumAddress(address) {\n',
      to: 'const { checksumAddress } = host;\nfunction getChecksumAddress(address) {\n',
    },
    {
      from: `    address = address.toLowerCase();
    const chars = address.substring(2).split("");
    const expanded = new Uint8Array(40);
    for (let i = 0; i < 40; i++) {
        expanded[i] = chars[i].charCodeAt(0);
    }
    const hashed = arrayify(keccak256(expanded));
    for (let i = 0; i < 40; i += 2) {
        if ((hashed[i >> 1] >> 4) >= 8) {
            chars[i] = chars[i].toUpperCase();
        }
        if ((hashed[i >> 1] & 0x0f) >= 8) {
            chars[i + 1] = chars[i + 1].toUpperCase();
        }
    }
    return "0x" + chars.join("");
`,
      to: '    return checksumAddress(address);\n',
    },
  ],
  '@ethersproject/strings/lib.esm/utf8.js': [
    {
      from: 'export function toUtf8Bytes(str, form = UnicodeNormalizationForm.current) {\n',
      to: `const { asciiBytes } = host;
export function toUtf8Bytes(str, form = UnicodeNormalizationForm.current) {
    if (form === UnicodeNormalizationForm.current && typeof (str) === "string" && str.length <= ${CONVERTED_MAX_LENGTH}) {
        const bytes = asciiBytes(str, str.length);
        if (bytes.byteLength === str.length)
            return new Uint8Array(bytes);
    }
`,
    },
  ],
  /*
   * The tables for ENS names take 8 MB, which every reset would have to copy, so they are built only when the first
   * name is normalized. The 136,777 characters allowed in names remain encoded as 1,315 ranges, and these edits add a
   * reader for that format.
   */
  '@ethersproject/hash/lib.esm/ens-normalize/lib.js': [
    { from: 'const r = getData();\n', to: '' },
    { from: 'import { getData } from', to: 'import { getData, getMapped } from' },
    {
      from: 'import { read_member_array, read_mapped_map, read_emoji_trie }',
      to: 'import { read_member_ranges, read_emoji_trie }',
    },
    {
      from: `const VALID = new Set(read_member_array(r));
const IGNORED = new Set(read_member_array(r));
const MAPPED = read_mapped_map(r);
const EMOJI_ROOT = read_emoji_trie(r);
`,
      to: `let VALID, IGNORED, MAPPED, EMOJI_ROOT;
function readTables() {
    const r = getData();
    VALID = read_member_ranges(r);
    IGNORED = read_member_ranges(r);
    MAPPED = getMapped();
    EMOJI_ROOT = read_emoji_trie(r);
}
`,
    },
    {
      from: 'function normalize(name, emoji_filter) {\n',
      to: 'function normalize(name, emoji_filter) {\n    if (!EMOJI_ROOT) readTables();\n',
    },
  ],
  '@ethersproject/hash/lib.esm/ens-normalize/decoder.js': [
    {
      from: 'export function read_member_array(next, lookup) {\n',
      to: `export function read_member_ranges(next) {
    const singles = new Set(read_ascending(next(), next));
    const n = next();
    const starts = read_ascending(n, next);
    const counts = read_counts(n, next);
    return { has: (x) => singles.has(x) || starts.some((start, i) => x >= start && x < start + counts[i]) };
}
export function read_member_array(next, lookup) {
`,
    },
  ],
}

/** @throws Error unless each text to be replaced occurs exactly once */
export function applyEdits(path: string, text: string): string {
  let result = text
  for (const { from, to } of EDITS[path] ?? []) {
    const [before, after, ...more] = result.split(from)
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`${path} does not contain the text to replace: ${from.slice(0, 60)}`)
    result = before + to + after
  }
  return result
}
