import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { failed, NO_KEYS, sharedPool } from '../actions/sandbox.ts'

type Ethers = typeof import('ethers-v5').ethers
const { ethers } = createRequire(import.meta.url)('ethers-v5') as { ethers: Ethers }
const pool = sharedPool({ min: 1, max: 2 })
const KEY = `0x${'11'.repeat(32)}`

test('random wallets differ, have a phrase of twelve words, and can sign', async () => {
  const made = (await pool.value(`
    async function main() {
      const wallets = [ethers.Wallet.createRandom(), ethers.Wallet.createRandom()]
      return Promise.all(wallets.map(async (w) => [w.address, w.mnemonic.phrase, await w.signMessage('x')]))
    }`)) as [string, string, string][]
  for (const [address, phrase, signature] of made) {
    expect(ethers.Wallet.fromMnemonic(phrase).address).toBe(address)
    expect(ethers.utils.verifyMessage('x', signature)).toBe(address)
  }
  expect(made[0]?.[0]).not.toBe(made[1]?.[0])
})

test.each([1, 2, 1024])(
  'a keystore written in the sandbox with N = %i opens in Node',
  async (N) => {
    const json = (await pool.value(
      `async function main({ key, N }) { return new ethers.Wallet(key).encrypt('pässword', { scrypt: { N } }) }`,
      { key: KEY, N },
    )) as string
    const opened = await ethers.Wallet.fromEncryptedJson(json, 'pässword')
    expect(opened.privateKey).toBe(KEY)
  },
)

test('a keystore from Node opens in the sandbox, and a wrong password is rejected', async () => {
  const wallet = ethers.Wallet.fromMnemonic(
    'test test test test test test test test test test test junk',
  )
  const json = await wallet.encrypt('right', { scrypt: { N: 1024 } })
  const value = await pool.value(
    `async function main({ json }) {
      const opened = await ethers.Wallet.fromEncryptedJson(json, 'right')
      const sync = ethers.Wallet.fromEncryptedJsonSync(json, 'right')
      const wrong = await ethers.Wallet.fromEncryptedJson(json, 'wrong').catch((error) => error.message)
      return [opened.privateKey, sync.mnemonic.phrase, wrong]
    }`,
    { json },
  )
  expect(value).toEqual([wallet.privateKey, wallet.mnemonic.phrase, 'invalid password'])
})

test('a keystore with ethers’ default cost is written, and reports progress from 0 to 1', async () => {
  const value = (await pool.value(
    `async function main(key) {
      const progress = []
      const json = await new ethers.Wallet(key).encrypt('p', (at) => { progress.push(at) })
      return { n: JSON.parse(json).crypto.kdfparams.n, first: progress[0], last: progress.at(-1) }
    }`,
    KEY,
  )) as { n: number }
  expect(value).toEqual({ n: 131_072, first: 0, last: 1 })
})

test('scrypt parameters beyond the memory of an action are rejected with an explanation', async () => {
  const value = await pool.value(
    `async function main(key) {
      const costs = [{ N: 2 ** 20 }, { N: 1024, r: 8192 }, { N: 2, p: 100000 }, { N: 1000 }, { N: 2 ** 24 }, { N: 8, r: 1.5 }]
      return Promise.all(costs.map((scrypt) => new ethers.Wallet(key).encrypt('p', { scrypt }).catch(({ message }) => message)))
    }`,
    KEY,
  )
  const bound = /needs more than the limit of 257 MiB/
  expect(value).toEqual([
    expect.stringMatching(bound),
    expect.stringMatching(bound),
    'scrypt with r=8, p=100000 exceeds the limit for r * p',
    'N must be power of 2',
    'N too large',
    'invalid r',
  ])
})

const keystore = (kdf: string, kdfparams: Record<string, unknown>) => ({
  version: 3,
  crypto: {
    kdf,
    kdfparams: { salt: '00'.repeat(32), dklen: 32, ...kdfparams },
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '00'.repeat(16) },
    ciphertext: '00'.repeat(32),
    mac: '00'.repeat(32),
  },
})

test.each([
  ['scrypt of 256 MiB many times over', keystore('scrypt', { n: 262_144, r: 8, p: 1 })],
  ['scrypt in many lanes', keystore('scrypt', { n: 1024, r: 8, p: 256 })],
  [
    'a salt of a megabyte for each block of scrypt',
    keystore('scrypt', { n: 2, r: 1, p: 2048, salt: 'ab'.repeat(1_000_000) }),
  ],
  ['a billion rounds of PBKDF2', keystore('pbkdf2', { prf: 'hmac-sha512', c: 1_000_000_000 })],
])(
  'an action that hides its work in %s is stopped at its limit, and its executor survives',
  async (_, json) => {
    const before = pool.events.length
    const result = await pool.run(
      `function main({ json }) { for (;;) { try { ethers.Wallet.fromEncryptedJsonSync(json, 'p') } catch {} } }`,
      { params: JSON.stringify({ json: JSON.stringify(json) }), cpuMs: 300, wallMs: 20_000 },
      NO_KEYS,
    )
    expect(failed(result).code).toBe('action_timeout')
    expect(failed(result).message).toContain('0.3 s of CPU time')
    expect(failed(result).cpuMs).toBeLessThan(400)
    expect(pool.events.slice(before).map(({ type }) => type)).not.toContain('executor_ended')
  },
)

test('an action that repeatedly hashes 30 MB is stopped at its limit', async () => {
  const result = await pool.run(
    `function main() { const big = new Uint8Array(15_000_000); for (;;) { try { ethers.utils.keccak256(big) } catch {} } }`,
    { cpuMs: 300, wallMs: 5_000 },
  )
  expect(failed(result).code).toBe('action_timeout')
  expect(failed(result).cpuMs).toBeLessThan(400)
})
