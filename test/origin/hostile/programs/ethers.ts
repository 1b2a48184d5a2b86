import { native, program, returns, throws } from '../program.ts'

const u = 'ethers.utils'

/** Worst-case inputs for ethers and the host's cryptography. */
export const ethers = [
  native(
    'a wallet’s scrypt of N = 2 ** 22',
    "return ethers.Wallet.createRandom().encrypt('x', { scrypt: { N: 2 ** 22 } })",
    { wallMs: 1_000 },
  ),
  native(
    'a wallet’s scrypt of N = 2 ** 31',
    "return ethers.Wallet.createRandom().encrypt('x', { scrypt: { N: 2 ** 31 } })",
    { wallMs: 1_000 },
  ),
  native(
    'a wallet’s scrypt of r = 2 ** 24',
    "return ethers.Wallet.createRandom().encrypt('x', { scrypt: { N: 2, r: 2 ** 24 } })",
    { wallMs: 1_000 },
  ),
  native(
    'a wallet’s scrypt of p = 2 ** 24',
    "return ethers.Wallet.createRandom().encrypt('x', { scrypt: { N: 2, r: 1, p: 2 ** 24 } })",
    { wallMs: 1_000 },
  ),
  native(
    'scrypt without end',
    "for (;;) await ethers.Wallet.createRandom().encrypt('x', { scrypt: { N: 2 ** 12 } })",
  ),
  native(
    'a keystore file that names its own cost',
    "return ethers.Wallet.fromEncryptedJson(JSON.stringify({ version: 3, id: '0', crypto: { kdf: 'scrypt', kdfparams: { n: 2 ** 30, r: 8, p: 1, dklen: 32, salt: 'aa' }, cipher: 'aes-128-ctr', cipherparams: { iv: 'aa' }, ciphertext: 'aa', mac: 'aa' } }), 'x')",
    { wallMs: 1_000 },
  ),
  native(
    'a keystore file of 2 ** 31 rounds',
    "return ethers.Wallet.fromEncryptedJson(JSON.stringify({ version: 3, id: '0', crypto: { kdf: 'pbkdf2', kdfparams: { c: 2 ** 31 - 1, prf: 'hmac-sha256', dklen: 32, salt: 'aa' }, cipher: 'aes-128-ctr', cipherparams: { iv: 'aa' }, ciphertext: 'aa', mac: 'aa' } }), 'x')",
    { wallMs: 1_000 },
  ),
  native(
    'a path of 100,000 steps',
    `return ${u}.HDNode.fromSeed(new Uint8Array(32)).derivePath('m/' + '0/'.repeat(1e5) + '0').address`,
  ),
  native('seeds of mnemonics without end', `for (;;) ${u}.mnemonicToSeed('x')`),
  native(
    'signatures without end',
    "const w = ethers.Wallet.createRandom(); for (;;) await w.signMessage('m')",
  ),
  native(
    'recoveries without end',
    "const w = ethers.Wallet.createRandom(), s = await w.signMessage('m'); for (;;) ethers.utils.verifyMessage('m', s)",
  ),
  native('hashes without end', `for (;;) ${u}.keccak256('0x' + '00'.repeat(1000))`),
  native(
    'a hash of 30 MB again and again',
    `const a = new Uint8Array(1e7); for (;;) ${u}.sha256(a)`,
  ),
  native('base58 of 100,000 characters', `return ${u}.base58.decode('z'.repeat(1e5)).length`),
  native(
    'an ABI of pointers that point to themselves',
    `return ${u}.defaultAbiCoder.decode(['uint256[][][][][][][][]'], '0x' + '20'.padStart(64, '0').repeat(1000))`,
  ),
  native(
    'an ABI array of 2 ** 32',
    `return ${u}.defaultAbiCoder.decode(['uint256[]'], '0x' + '20'.padStart(64, '0') + 'ffffffff'.padStart(64, '0'))`,
  ),
  native(
    'an ABI array of empty tuples',
    `return ${u}.defaultAbiCoder.decode(['tuple()[]'], '0x' + '20'.padStart(64, '0') + 'ffffffff'.padStart(64, '0')).length`,
    { wallMs: 1_000 },
  ),
  native(
    'an ABI type of 2 ** 31 elements',
    `return ${u}.defaultAbiCoder.encode(['uint256[2147483647]'], [[]])`,
  ),
  native(
    'a signature of tuples in tuples',
    `return new ${u}.Interface(['function f(' + 'tuple('.repeat(1e4) + 'uint256' + ')'.repeat(1e4) + ')'])`,
    { wallMs: 1_000 },
  ),
  native(
    'RLP of lists in lists',
    `return ${u}.RLP.encode((() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a })())`,
    { wallMs: 1_000 },
  ),
  native('a name of a million labels', `return ${u}.namehash('a.'.repeat(1e6) + 'eth')`),
  native(
    'a number of a million digits',
    `return ethers.BigNumber.from('9'.repeat(1e6)).toString().length`,
    { finite: true },
  ),
  native('a power beyond all', 'return ethers.BigNumber.from(2).pow(1e9).toString()'),
  native(
    'typed data that contains itself',
    "return new ethers.Wallet('0x' + '41'.repeat(32))._signTypedData({}, { A: [{ name: 'a', type: 'A' }] }, (() => { const a = {}; a.a = a; return a })())",
  ),
  throws('a key of zeros', "new ethers.Wallet('0x' + '00'.repeat(32))", /./),
  program(
    'a key beyond the curve’s order, as ethers takes it elsewhere',
    "function main() { new ethers.Wallet('0x' + 'ff'.repeat(32)).address }",
    [{ returns: null }, { fails: 'action_threw' }],
  ),
  throws('a key of 31 bytes', "new ethers.Wallet('0x' + '41'.repeat(31))", /./),
  program(
    'a point that is on no curve, as ethers takes it elsewhere',
    `function main() { ${u}.computePublicKey('0x04' + '11'.repeat(64), true) }`,
    [{ returns: null }, { fails: 'action_threw' }],
  ),
  throws(
    'a signature of the largest numbers',
    `${u}.recoverAddress('0x' + '11'.repeat(32), { r: '0x' + 'ff'.repeat(32), s: '0x' + 'ff'.repeat(32), v: 27 })`,
    /./,
  ),
  throws(
    'a signature of zeros',
    `${u}.recoverAddress('0x' + '11'.repeat(32), { r: '0x' + '00'.repeat(32), s: '0x' + '00'.repeat(32), v: 27 })`,
    /./,
  ),
  throws('random bytes by the gigabyte', `${u}.randomBytes(2 ** 30)`, /./),
  throws('hex with a NUL', `${u}.arrayify('0x41\\0' + '41')`, /./),
  throws('hex of other digits', `${u}.arrayify('0x\\uff14\\uff11')`, /./),
  returns(
    'text with NULs and half pairs',
    `return ${u}.toUtf8String(${u}.toUtf8Bytes('a\\0b')) === 'a\\0b'`,
    true,
  ),
  returns(
    'a hash whose built-ins were replaced',
    `const right = ${u}.keccak256('0x41'); Uint8Array.prototype.slice = Array.prototype.map = String.prototype.substring = () => { throw 1 }; let got; try { got = ${u}.keccak256('0x41') } catch { got = right } return got === right`,
    true,
  ),
  returns(
    'a signature whose built-ins lie',
    "const w = new ethers.Wallet('0x' + '41'.repeat(32)); const right = await w.signMessage('m'); String.prototype.toLowerCase = () => '0x'; Array.isArray = () => true; let got; try { got = await w.signMessage('m') } catch { got = 'refused' } return got === right || got === 'refused' || typeof got === 'string'",
    true,
  ),
  program(
    'ethers that is replaced before main',
    'ethers = { Wallet: 1 }; function main() { return typeof ethers.Wallet }',
    [{ returns: 'number' }, { fails: 'action_threw' }],
  ),
]
