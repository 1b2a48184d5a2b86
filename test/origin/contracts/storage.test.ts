import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, hashOf, startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'
import { base, slotOf, word } from './slots.ts'

// The diamond outlives its facets: every later facet must find the data at these locations.

let config: AccountConfig
let account: bigint

beforeAll(async () => {
  config = await startAccountConfig({ token: 'ETH' })
  account = await config.newAccount('storage')
  await config.write(config.payer, 'setUsageApiKey', account, hashOf('usage'), usageKey())
})
afterAll(() => config.close())

test('the namespace is the ERC-7201 slot of svc.storage.AccountConfig, and accounts are its first field', async () => {
  const packed = await config.storage(slotOf(account, base))
  const { createdAt } = await config.read('accountOf', account)
  expect(packed & ((1n << 160n) - 1n)).toBe(BigInt(addressOf('storage')))
  expect((packed >> 160n) & 0xffn).toBe(1n)
  expect((packed >> 168n) & 0xffffffffffn).toBe(createdAt)
  expect(packed >> 208n).toBe(1n)
})

test('slot 1 maps an account hash to itself', async () => {
  expect(await config.storage(slotOf(account, base + 1n))).toBe(account)
})

test('slot 2 marks only rotated keys', async () => {
  const rotated = await config.newAccount('rotated')
  await config.write(config.payer, 'rotateAccountApiKey', rotated, hashOf('its next key'))
  expect(await config.storage(slotOf(rotated, base + 2n))).toBe(1n)
  expect(await config.storage(slotOf(hashOf('its next key'), base + 2n))).toBe(0n)
})

test('slot 8 marks a used proof', async () => {
  const converted = await config.newAccount('converted')
  const proof = hashOf('proof')
  const args = [converted, addressOf('admin'), word(proof)]
  await config.write(config.payer, 'convertToChainSecuredAccount', ...args)
  expect(await config.storage(slotOf(proof, base + 8n))).toBe(1n)
})

test('slot 3 maps a usage key hash to its account', async () => {
  expect(await config.storage(slotOf(hashOf('usage'), base + 3n))).toBe(account)
})

test('slot 4 maps every current or former admin wallet to its account', async () => {
  expect(await config.storage(slotOf(BigInt(addressOf('storage')), base + 4n))).toBe(account)
})

test('slots 5 and 6 hold the set of api payers', async () => {
  expect(await config.storage(base + 5n)).toBe(1n)
  expect(await config.storage(slotOf(BigInt(config.payer.address), base + 6n))).toBe(1n)
})

test('slot 7 holds the node configuration', async () => {
  const value = await config.storage(slotOf('token', base + 7n))
  expect(value.toString(16)).toMatch(new RegExp(`^${Buffer.from('ETH').toString('hex')}0*6$`))
})
