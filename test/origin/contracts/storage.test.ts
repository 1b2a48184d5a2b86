import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, hashOf, startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'
import { base, slotOf, word } from './slots.ts'

// The diamond outlives its facets: what these tests read is where every later facet must find it.

let config: AccountConfig
let account: bigint

beforeAll(async () => {
  config = await startAccountConfig({ token: 'ETH' })
  account = await config.newAccount('storage')
  await config.write(config.payer, 'setUsageApiKey', account, hashOf('usage'), usageKey())
})
afterAll(() => config.close())

test('the namespace is the ERC-7201 slot of svc.storage.AccountConfig, and accounts come first in it', async () => {
  const packed = await config.storage(slotOf(account, base))
  const { createdAt } = await config.read('accountOf', account)
  expect(packed & ((1n << 160n) - 1n)).toBe(BigInt(addressOf('storage')))
  expect((packed >> 160n) & 0xffn).toBe(1n)
  expect((packed >> 168n) & 0xffffffffffn).toBe(createdAt)
  expect(packed >> 208n).toBe(1n)
})

test('an account hash resolves to itself in slot 1', async () => {
  expect(await config.storage(slotOf(account, base + 1n))).toBe(account)
})

test('a rotated key is marked in slot 2, and no other is', async () => {
  const rotated = await config.newAccount('rotated')
  await config.write(config.payer, 'rotateAccountApiKey', rotated, hashOf('its next key'))
  expect(await config.storage(slotOf(rotated, base + 2n))).toBe(1n)
  expect(await config.storage(slotOf(hashOf('its next key'), base + 2n))).toBe(0n)
})

test('a proof that was used is marked in slot 8', async () => {
  const converted = await config.newAccount('converted')
  const proof = hashOf('proof')
  const args = [converted, addressOf('admin'), word(proof)]
  await config.write(config.payer, 'convertToChainSecuredAccount', ...args)
  expect(await config.storage(slotOf(proof, base + 8n))).toBe(1n)
})

test('a usage key hash names its account in slot 3', async () => {
  expect(await config.storage(slotOf(hashOf('usage'), base + 3n))).toBe(account)
})

test('a wallet that was ever an admin names its account in slot 4', async () => {
  expect(await config.storage(slotOf(BigInt(addressOf('storage')), base + 4n))).toBe(account)
})

test('the api payers are the set of slots 5 and 6', async () => {
  expect(await config.storage(base + 5n)).toBe(1n)
  expect(await config.storage(slotOf(BigInt(config.payer.address), base + 6n))).toBe(1n)
})

test('the node configuration is in slot 7', async () => {
  const value = await config.storage(slotOf('token', base + 7n))
  expect(value.toString(16)).toMatch(new RegExp(`^${Buffer.from('ETH').toString('hex')}0*6$`))
})
