import { afterEach, expect, it, vi } from 'vitest'
import { StoredUsageKeys } from '../../../origin/channel/stored-usage-keys.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { importChannelKey, sealForStorage } from '../../../shared/envelope/seal.ts'

const storage = new Keyring(Uint8Array.from({ length: 32 }, () => 7)).storageKey()
const recipient = await importChannelKey(Uint8Array.from(storage.publicKey))

async function stored(usageKey: string, trigger_id = 'trigger', owner_id = 'owner') {
  const owner = { triggerId: trigger_id, ownerId: owner_id }
  const sealed = await sealForStorage(recipient, usageKey, owner)
  return { sealed_usage_key: encodeBase64url(sealed), trigger_id, owner_id }
}

/** Counts ECDH computations, each of which decrypts one key. */
function countedKeys() {
  const computeSecret = vi.fn((enc: Buffer) => storage.ecdh.computeSecret(enc))
  const keys = new StoredUsageKeys({ ...storage, ecdh: { computeSecret: computeSecret as never } })
  return { keys, decryptions: () => computeSecret.mock.calls.length }
}

afterEach(() => {
  vi.useRealTimers()
})

it('decrypts a key once for all runs within a minute, and then again', async () => {
  vi.useFakeTimers()
  const { keys, decryptions } = countedKeys()
  const one = await stored('the usage key')
  for (let run = 0; run < 3; run++) expect(keys.open(one)).toBe('the usage key')
  expect(decryptions()).toBe(1)
  vi.advanceTimersByTime(60_001)
  expect(keys.open(one)).toBe('the usage key')
  expect(decryptions()).toBe(2)
})

it('wipes a key after a minute even if no further run arrives', async () => {
  vi.useFakeTimers()
  const { keys } = countedKeys()
  const wiped = vi.spyOn(Buffer.prototype, 'fill')
  keys.open(await stored('the usage key'))
  vi.advanceTimersByTime(60_001)
  expect(wiped.mock.contexts.map((buffer) => (buffer as Buffer).length)).toContain(
    'the usage key'.length,
  )
  wiped.mockRestore()
})

it('confused deputy: a cached key does not open for another trigger or owner', async () => {
  const { keys } = countedKeys()
  const one = await stored('the usage key')
  keys.open(one)
  expect(() => keys.open({ ...one, trigger_id: 'another' })).toThrow('not_authentic')
  expect(() => keys.open({ ...one, owner_id: 'another' })).toThrow('not_authentic')
})

it('returns the new key after a trigger replaced its key', async () => {
  const { keys } = countedKeys()
  expect(keys.open(await stored('old'))).toBe('old')
  expect(keys.open(await stored('new'))).toBe('new')
})

it('does not cache a key that cannot be opened', async () => {
  const { keys } = countedKeys()
  const other = await stored('the usage key', 'another')
  for (let run = 0; run < 2; run++)
    expect(() => keys.open({ ...other, trigger_id: 'trigger' })).toThrow('not_authentic')
})

it('flood: keeps at most 10,000 keys', async () => {
  const { keys, decryptions } = countedKeys()
  const one = await stored('the usage key')
  keys.open(one)
  const size = 10_000
  // Decoding ignores the characters ! and #, but each spelling has its own entry.
  const spelling = (n: number) => n.toString(2).replaceAll('0', '!').replaceAll('1', '#')
  for (let n = 0; n < size; n++)
    keys.open({ ...one, sealed_usage_key: one.sealed_usage_key + spelling(n) })
  const before = decryptions()
  keys.open(one)
  expect(decryptions()).toBe(before + 1)
}, 60_000)
