import { fails, program, returns } from '../program.ts'

const ask = "Svc.Actions.getPrivateKey({ pkpId: 'x' })"
const over = /at most 10 key operations/

/** Programs at a limit, and just beyond it. */
export const limits = [
  returns(
    'ten key operations, one after the other',
    `for (let i = 0; i < 10; i++) await ${ask}; return 1`,
    1,
  ),
  returns(
    'ten key operations at once',
    `await Promise.all(Array.from({ length: 10 }, () => ${ask})); return 1`,
    1,
  ),
  fails(
    'eleven key operations, one after the other',
    `for (let i = 0; i < 11; i++) await ${ask}`,
    'key_operation_limit',
    over,
  ),
  fails(
    'eleven key operations at once',
    `await Promise.all(Array.from({ length: 11 }, () => ${ask}))`,
    'key_operation_limit',
    over,
  ),
  fails(
    'twenty thousand key operations at once',
    `await Promise.all(Array.from({ length: 2e4 }, () => ${ask}))`,
    'key_operation_limit',
    over,
    { wallMs: 20_000 },
  ),
  returns(
    'a limit that is caught, eleven times',
    `let n = 0; for (let i = 0; i < 21; i++) await ${ask}.catch((e) => { n += e.code === 'key_operation_limit' }); return n`,
    11,
  ),
  program(
    'ten before main and one in it',
    `const all = Array.from({ length: 10 }, () => ${ask}); async function main() { await Promise.all(all); await ${ask} }`,
    { fails: 'key_operation_limit', says: over },
  ),
  fails(
    'of every kind together',
    "const A = Svc.Actions; for (let i = 0; i < 4; i++) { await A.getPrivateKey({ pkpId: 'x' }); await A.getSvcActionPrivateKey(); await A.getSvcActionPublicKey({ ipfsId: 'Qm' }) }",
    'key_operation_limit',
    over,
  ),
  returns(
    'a thousand timers',
    'for (let i = 0; i < 1000; i++) setTimeout(() => {}, 1e6); return 1',
    1,
  ),
  returns(
    '65,536 random bytes',
    'return crypto.getRandomValues(new Uint8Array(65536)).length',
    65_536,
  ),
]
