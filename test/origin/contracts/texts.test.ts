import { AbiCoder, concat, hexlify, Wallet } from 'ethers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DESCRIPTION_MAX_CHARACTERS, NAME_MAX_CHARACTERS } from '../../../shared/limits.ts'
import { anyText } from '../../any-text.ts'
import { accountConfig, addressOf, cidOf, hashOf, pkpIdOf } from './account-config.ts'
import { startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
let account: bigint
beforeAll(async () => {
  config = await startAccountConfig()
  account = await config.newAccount('account')
  await config.write(config.payer, 'addGroup', account, 'group', '', [], [])
  await config.write(config.payer, 'addAction', account, cidOf('action'), '', '')
  await config.write(config.payer, 'setUsageApiKey', account, hashOf('usage'), usageKey())
})
afterAll(() => config.close())

type Texts = { name: string; description: string }
/** Every write that takes a name and a description. */
const WRITES: [string, (texts: Texts) => unknown[]][] = [
  ['newAccount', ({ name, description }) => [hashOf('n'), addressOf('n'), name, description]],
  ['newChainSecuredAccount', ({ name, description }) => [name, description]],
  [
    'registerWalletDerivation',
    ({ name, description }) => [account, pkpIdOf('w'), pkpIdOf('p'), name, description],
  ],
  ['addGroup', ({ name, description }) => [account, name, description, [], []]],
  ['updateGroup', (texts) => [account, 1n, 3n, { ...texts, pkpIds: [], cidHashes: [] }]],
  ['addActionToGroup', ({ name, description }) => [account, 1n, cidOf('a'), name, description]],
  ['addAction', ({ name, description }) => [account, cidOf('a'), name, description]],
  [
    'updateActionMetadata',
    ({ name, description }) => [account, hashOf(cidOf('action')), 3n, name, description],
  ],
  ['setUsageApiKey', (texts) => [account, hashOf('k'), usageKey(texts)]],
  ['updateUsageApiKey', (texts) => [account, hashOf('usage'), 3n, usageKey(texts)]],
]

describe.each(WRITES)('%s', (write, args) => {
  const refusal = (name: string, description = '') =>
    config.refusal(config.payer, write, ...args({ name, description }))

  test('accepts empty texts, and a name of at most 1,024 bytes', async () => {
    expect(await refusal('')).toBeUndefined()
    expect(await refusal('n'.repeat(1024))).toBeUndefined()
    expect(await refusal('n'.repeat(1025))).toEqual(['TooLong', 'name', 1025n, 1024n])
    expect(await refusal('n'.repeat(10_240))).toEqual(['TooLong', 'name', 10_240n, 1024n])
  })

  test('accepts a description of at most 4,096 bytes', async () => {
    expect(await refusal('', 'd'.repeat(4096))).toBeUndefined()
    expect(await refusal('', 'd'.repeat(4097))).toEqual(['TooLong', 'description', 4097n, 4096n])
  })

  test('counts bytes, with room for the longest characters that the API accepts', async () => {
    expect(await refusal('𝄞'.repeat(256), '𝄞'.repeat(1024))).toBeUndefined()
    expect(await refusal('𝄞'.repeat(257))).toEqual(['TooLong', 'name', 1028n, 1024n])
  })

  test('rejects invalid UTF-8, so that no event stops the mirrors that decode it', async () => {
    const marked = '\u0001'.repeat(7)
    for (const field of ['name', 'description'] as const) {
      const data = accountConfig.encodeFunctionData(
        write,
        args({ name: '', description: '', [field]: marked }),
      )
      const spoilt = data.replace('01'.repeat(7), '41c3284141ffff')
      expect(spoilt).not.toBe(data)
      await expect(
        config.provider.call({ from: config.payer.address, to: config.address, data: spoilt }),
      ).rejects.toMatchObject({ data: revertOf(`${field} is not UTF-8`) })
    }
  })
})

const revertOf = (reason: string) => accountConfig.encodeErrorResult('InvalidRequest', [reason])

/** Returns true if the contract accepts these bytes as a text. */
async function taken(bytes: Uint8Array): Promise<boolean> {
  const selector = accountConfig.getFunction('newChainSecuredAccount')?.selector ?? ''
  const data = concat([
    selector,
    AbiCoder.defaultAbiCoder().encode(['bytes', 'bytes'], ['0x', bytes]),
  ])
  try {
    await config.provider.call({ from: nobody, to: config.address, data })
    return true
  } catch (error) {
    expect(error).toMatchObject({ data: revertOf('description is not UTF-8') })
    return false
  }
}
const nobody = Wallet.createRandom().address

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

describe('UTF-8 validation in the contract agrees with Node', () => {
  const edges = [
    'c080',
    'c1bf',
    'c280',
    'dfbf',
    'c2',
    '80',
    'bf',
    'e08080',
    'e09fbf',
    'e0a080',
    'ed9fbf',
    'eda080',
    'edbfbf',
    'ee8080',
    'efbfbf',
    'e0a0',
    'f0808080',
    'f08fbfbf',
    'f0908080',
    'f48fbfbf',
    'f4908080',
    'f5808080',
    'ff',
    'fe',
    'f09080',
    'c241',
    'e1417f',
    'e18041',
    'f1808041',
    'f1804180',
    '00',
    'efbbbf41',
  ]

  test.each(edges)('%s, at every position within a word', async (hex) => {
    const edge = Buffer.from(hex, 'hex')
    const expected = isUtf8(edge)
    for (const before of [0, 1, 29, 30, 31, 32, 61]) {
      for (const after of [0, 1, 32]) {
        const text = Buffer.concat([Buffer.alloc(before, 'a'), edge, Buffer.alloc(after, 'z')])
        expect([hexlify(text), await taken(text)]).toEqual([hexlify(text), expected])
      }
    }
  })

  test('for arbitrary bytes, and for texts with one byte changed', async () => {
    const spoilt = fc
      .tuple(anyText({ minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(255))
      .map(([text, place, byte]) => {
        const bytes = new TextEncoder().encode(text)
        bytes[place % bytes.length] = byte
        return bytes
      })
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      anyText({ maxLength: 40 }).map((text) => new TextEncoder().encode(text)),
      spoilt,
    )
    await fc.assert(
      fc.asyncProperty(bytes, async (text) => {
        expect(await taken(text)).toBe(isUtf8(text))
      }),
      { numRuns: 300 },
    )
  })
})

test('texts of every kind are returned unchanged', async () => {
  const texts = [
    '',
    ' ',
    '\u0000',
    'Ünïcödé',
    '日本語',
    '🔑👩‍👩‍👧',
    '\u202etxt',
    '\'"\\<script>',
    '\ufeffbom',
  ]
  for (const text of texts) {
    await config.write(config.payer, 'addGroup', account, text, text, [], [])
    const { name, description } = (await config.read('accountOf', account)).groups.at(-1)
    expect([name, description]).toEqual([text, text])
  }
})

test('the contract has room for the longest texts that the API accepts', () => {
  expect([NAME_MAX_CHARACTERS * 4, DESCRIPTION_MAX_CHARACTERS * 4]).toEqual([1024, 4096])
})
