import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf, eventsOf, hashOf, startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
beforeAll(async () => {
  config = await startAccountConfig()
})
afterAll(() => config.close())

const rotate = (from: bigint, to: bigint) =>
  config.write(config.payer, 'rotateAccountApiKey', from, to)
const refusal = (from: bigint, to: bigint) =>
  config.refusal(config.payer, 'rotateAccountApiKey', from, to)
const addGroup = (credential: bigint) =>
  config.refusal(config.payer, 'addGroup', credential, '', '', [], [])

describe('a rotated account key', () => {
  const first = hashOf('first key')
  const second = hashOf('second key')
  const third = hashOf('third key')
  let events: unknown[][]

  beforeAll(async () => {
    await config.newAccount('first key')
    events = [...eventsOf(await rotate(first, second)), ...eventsOf(await rotate(second, third))]
  })

  test('emits its successor and its revocation', () => {
    expect(events).toEqual([
      ['AliasSet', first, second, '0x0000000000000000000000000000000000000000'],
      ['ApiKeyHashRevoked', first, first],
      ['AliasSet', first, third, '0x0000000000000000000000000000000000000000'],
      ['ApiKeyHashRevoked', first, second],
    ])
  })

  test('stops being a credential with that transaction, and the new one starts', async () => {
    expect(await addGroup(first)).toEqual(['ApiKeyRevoked', first])
    expect(await addGroup(second)).toEqual(['ApiKeyRevoked', second])
    expect(await addGroup(third)).toBeUndefined()
    const runs = await Promise.all(
      [first, second, third].map((key) =>
        config.read('mayExecute', key, 1n, `0x${'0'.repeat(64)}`),
      ),
    )
    expect(runs).toEqual([false, false, true])
  })

  test("keeps the first key's hash as the account's identity, with its state", async () => {
    for (const hash of [first, second, third]) {
      const account = await config.read('accountOf', hash)
      expect([account.accountHash, account.name]).toEqual([first, 'first key'])
      expect(account.apiKeyHashes.toArray(true)).toEqual([
        [first, true],
        [second, true],
        [third, false],
      ])
    }
  })
})

describe('attacks', () => {
  test('lockout: a thief of the old key cannot rotate again', async () => {
    const stolen = await config.newAccount('stolen key')
    await rotate(stolen, hashOf('safe key'))
    expect(await refusal(stolen, hashOf('key of the thief'))).toEqual(['ApiKeyRevoked', stolen])
  })

  test('reuse: a revoked key cannot be registered again, by rotation, as an account or as a usage key', async () => {
    const hash = await config.newAccount('revoked')
    const own = hashOf('next of revoked')
    await rotate(hash, own)
    const other = await config.newAccount('other')
    const gone = ['ApiKeyHashAlreadyRevoked', hash]
    expect(await refusal(own, hash)).toEqual(gone)
    expect(await refusal(other, hash)).toEqual(gone)
    const open = [hash, addressOf('x'), '', '']
    expect(await config.refusal(config.payer, 'newAccount', ...open)).toEqual(gone)
    for (const account of [own, other]) {
      const set = [account, hash, usageKey()]
      expect(await config.refusal(config.payer, 'setUsageApiKey', ...set)).toEqual(gone)
    }
  })

  test('privilege escalation: a usage key cannot rotate the account key', async () => {
    const hash = await config.newAccount('has a usage key')
    await config.write(
      config.payer,
      'setUsageApiKey',
      hash,
      hashOf('ambitious'),
      usageKey({ canCreateGroups: true, canDeleteGroups: true, canCreatePkps: true }),
    )
    expect(await refusal(hashOf('ambitious'), hashOf('mine now'))).toEqual([
      'NotMasterAccount',
      hashOf('ambitious'),
    ])
  })
})

describe('the new key', () => {
  test('cannot be the zero hash, the old key, or a key in use anywhere', async () => {
    const hash = await config.newAccount('rotating')
    const other = await config.newAccount('in use')
    await rotate(other, hashOf('alias in use'))
    await config.write(config.payer, 'setUsageApiKey', hash, hashOf('own usage'), usageKey())
    const usage = [hashOf('alias in use'), hashOf('their usage'), usageKey()]
    await config.write(config.payer, 'setUsageApiKey', ...usage)
    expect(await refusal(hash, 0n)).toEqual(['InvalidRequest', "the key's hash is zero"])
    expect(await refusal(hash, hash)).toEqual(['AccountAlreadyExists', hash])
    expect(await refusal(hash, hashOf('alias in use'))).toEqual(['AccountAlreadyExists', other])
    expect(await refusal(hash, hashOf('own usage'))).toEqual([
      'UsageApiKeyAlreadyExists',
      hashOf('own usage'),
      hash,
    ])
    expect(await refusal(hash, hashOf('their usage'))).toEqual([
      'UsageApiKeyAlreadyExists',
      hashOf('their usage'),
      other,
    ])
  })
})
