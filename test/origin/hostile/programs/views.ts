import { program } from '../program.ts'

/**
 * Views must give the correct answer or fail. If no memory is left to copy their bytes for the host, the host must not
 * get other bytes. `HASH_TAKEN_ERRORS` leaves room for the data and little else.
 */
const full = { fails: 'out_of_memory' } as const
const threw = { fails: 'action_threw', says: /memory/ } as const
const late = { fails: 'action_timeout' } as const
const right = (name: string, body: string) =>
  program(name, `async function main() { ${body} }`, [{ returns: true }, full, threw, late], {
    wallMs: 3_000,
    native: true,
  })

const SMALL = 'new Uint8Array(40e6).subarray(100, 132).fill(65)'
const FULL = `let taken = []; try { for (;;) taken.push(new ArrayBuffer(1e5)) } catch {} taken.length -= 2`
const hex =
  '(bytes) => { let out = ""; for (const b of new Uint8Array(bytes)) out += b.toString(16).padStart(2, "0"); return out }'

export const views = [
  right(
    'hexlify of a small view of a large buffer',
    `return ethers.utils.hexlify(${SMALL}) === '0x' + '41'.repeat(32)`,
  ),
  right(
    'keccak of a small view of a large buffer',
    `return ethers.utils.keccak256(${SMALL}) === ethers.utils.keccak256(new Uint8Array(32).fill(65))`,
  ),
  right(
    'sha256 of a small view of a large buffer',
    `return ethers.utils.sha256(${SMALL}) === ethers.utils.sha256(new Uint8Array(32).fill(65))`,
  ),
  right(
    'sha512 of a small view of a large buffer',
    `return ethers.utils.sha512(${SMALL}) === ethers.utils.sha512(new Uint8Array(32).fill(65))`,
  ),
  right(
    'hmac of a small view of a large buffer',
    `return ethers.utils.computeHmac('sha256', ${SMALL}, [1]) === ethers.utils.computeHmac('sha256', new Uint8Array(32).fill(65), [1])`,
  ),
  right(
    'a key that is a small view of a large buffer',
    `return new ethers.Wallet(${SMALL}).address === new ethers.Wallet('0x' + '41'.repeat(32)).address`,
  ),
  right(
    'a message that is a small view of a large buffer',
    `const w = new ethers.Wallet('0x' + '41'.repeat(32)); return await w.signMessage(${SMALL}) === await w.signMessage(new Uint8Array(32).fill(65))`,
  ),
  right(
    'a digest that is a small view of a large buffer',
    `const k = new ethers.utils.SigningKey('0x' + '41'.repeat(32)); return k.signDigest(${SMALL}).r === k.signDigest('0x' + '41'.repeat(32)).r`,
  ),
  right(
    'text of a small view of a large buffer',
    `return ethers.utils.toUtf8String(${SMALL}) === 'A'.repeat(32)`,
  ),
  right(
    'TextDecoder of a small view of a large buffer',
    `return new TextDecoder().decode(${SMALL}) === 'A'.repeat(32)`,
  ),
  right(
    'subtle.digest of a small view of a large buffer',
    `const hex = ${hex}; return hex(await crypto.subtle.digest('SHA-256', ${SMALL})) === hex(await crypto.subtle.digest('SHA-256', new Uint8Array(32).fill(65)))`,
  ),
  right(
    'random bytes into a small view of a large buffer',
    `return crypto.getRandomValues(${SMALL}).some((b) => b !== 65)`,
  ),
  right(
    'keccak of 20 MB',
    `return ethers.utils.keccak256(new Uint8Array(2e7)) !== ethers.utils.keccak256([])`,
  ),
  right(
    'keccak of 30 MB',
    `return ethers.utils.keccak256(new Uint8Array(3e7)) !== ethers.utils.keccak256([])`,
  ),
  right(
    'sha256 of 20 MB',
    `return ethers.utils.sha256(new Uint8Array(2e7)) !== ethers.utils.sha256([])`,
  ),
  right(
    'subtle.digest of 30 MB',
    `const hex = ${hex}; return hex(await crypto.subtle.digest('SHA-256', new Uint8Array(3e7))) !== hex(await crypto.subtle.digest('SHA-256', new Uint8Array(0)))`,
  ),
  right('hexlify of 20 MB', `return ethers.utils.hexlify(new Uint8Array(2e7)).length === 2 + 4e7`),
  right(
    'TextDecoder of 30 MB',
    `return new TextDecoder().decode(new Uint8Array(3e7).fill(65)).length === 3e7`,
  ),
  right('TextEncoder of 20 MB', `return new TextEncoder().encode('x'.repeat(2e7)).length === 2e7`),
  right(
    'arrayify of 20 MB',
    `return ethers.utils.arrayify('0x' + '41'.repeat(1e7)).length === 1e7`,
  ),
  right(
    'keccak with no memory left',
    `const one = new Uint8Array(2e5).fill(1); const whole = ethers.utils.keccak256(one); ${FULL}; return ethers.utils.keccak256(one) === whole`,
  ),
  right(
    'hexlify with no memory left',
    `const one = new Uint8Array(2e5).fill(1); ${FULL}; return ethers.utils.hexlify(one).length === 2 + 4e5`,
  ),
  right(
    'a signature with no memory left',
    `const w = new ethers.Wallet('0x' + '41'.repeat(32)); const before = await w.signMessage('m'.repeat(1e5)); ${FULL}; return await w.signMessage('m'.repeat(1e5)) === before`,
  ),
  right(
    'random bytes with no memory left',
    `const one = new Uint8Array(60000); ${FULL}; return crypto.getRandomValues(one).some(Boolean)`,
  ),
  right(
    'a key operation with no memory left',
    `${FULL}; return (await Svc.Actions.getPrivateKey({ pkpId: 'x' })).length === 66`,
  ),
  right(
    'a line of the console with no memory left',
    `${FULL}; console.log('x'.repeat(90000)); return true`,
  ),
]
