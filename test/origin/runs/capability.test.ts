import { computeAddress, id, verifyMessage, zeroPadValue } from 'ethers'
import { describe, expect, it } from 'vitest'
import type { Account, AccountGroup, AccountUsageKey } from '../../../origin/accounts/account.ts'
import { cidHash } from '../../../shared/cid/cid-format.ts'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import type { Principal } from '../../../origin/accounts/account.ts'
import type { KeyOperation } from '../../../origin/actions/run.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { ENCRYPTED_MESSAGE_MAX_BYTES } from '../../../shared/limits.ts'
import { accountOf, addressOf, keyring, pkpIdOf, texts } from './wallet-holder.ts'

const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const OTHER_CID = 'QmNecXLe3tMEdoo992NpHrcXwtbvieS1KhNmrv2iE2VBBN'
/** Returns the result of an operation in a run of the action with the account's own key. */
function asked(account: Account, operation: KeyOperation, cid = CID): Promise<string> {
  return capabilityFor(keyring, cid, () => ({ account, keyHash: account.hash })).keyOperation(
    operation,
  )
}

const account = accountOf('account', ['permitted', 'outside'], [CID])
const pkpId = addressOf(account.hash, 'permitted')
const outside = addressOf(account.hash, 'outside')
const foreign = addressOf(id('another account'), 'permitted')
const encrypted = (message = 'secret') => asked(account, { name: 'encrypt', pkpId, message })

/** The operations on a wallet, which all have the same permission rule. */
const OPERATIONS: [KeyOperation['name'], (pkpId: string) => Promise<KeyOperation>][] = [
  ['getPrivateKey', async (wallet) => ({ name: 'getPrivateKey', pkpId: wallet })],
  ['encrypt', async (wallet) => ({ name: 'encrypt', pkpId: wallet, message: 'secret' })],
  [
    'decrypt',
    async (wallet) => ({ name: 'decrypt', pkpId: wallet, ciphertext: await encrypted() }),
  ],
  ['signMessage', async (wallet) => ({ name: 'signMessage', pkpId: wallet, message: '0x00' })],
  [
    'signTypedData',
    async (wallet) => ({
      name: 'signTypedData',
      pkpId: wallet,
      typedData: '{"domain":{},"types":{"A":[]},"value":{}}',
    }),
  ],
  [
    'signTransaction',
    async (wallet) => ({ name: 'signTransaction', pkpId: wallet, transaction: '{}' }),
  ],
  [
    'signDigest',
    async (wallet) => ({ name: 'signDigest', pkpId: wallet, digest: `0x${'00'.repeat(32)}` }),
  ],
]

describe.each(OPERATIONS)('%s', (name, operation) => {
  it('is allowed for a wallet in a group that permits the action, in any spelling of its ID', async () => {
    for (const spelling of [pkpId, pkpId.toLowerCase(), pkpIdOf(account.hash, 'permitted')])
      expect(await asked(account, await operation(spelling))).toMatch(/./)
  })

  it('is rejected for a wallet outside that group', async () => {
    const refused = asked(account, await operation(outside))
    await expect(refused).rejects.toThrow(
      `${name}: the wallet ${outside} and the action ${CID} are not in the same group`,
    )
  })

  it('is rejected for an action that the wallet’s group does not permit', async () => {
    const refused = asked(account, await operation(pkpId), OTHER_CID)
    await expect(refused).rejects.toThrow(
      `${name}: the wallet ${pkpId} and the action ${OTHER_CID} are not in the same group`,
    )
  })

  it('is rejected for a wallet of another account', async () => {
    const refused = asked(account, await operation(foreign))
    await expect(refused).rejects.toThrow(`${name}: the account has no wallet ${foreign}`)
  })

  it('stolen registration: rejects a foreign address that was registered with its path', async () => {
    const stolen = zeroPadValue(foreign, 32).toLowerCase()
    const wallets = new Map([
      [stolen, { pkpId: stolen, derivationPath: id('permitted'), ...texts }],
    ])
    const group = { ...account.groups.get(1)!, pkpIds: new Set([stolen]) }
    const thief = { ...account, wallets, groups: new Map([[1, group]]) }
    const refused = asked(thief, await operation(foreign))
    await expect(refused).rejects.toThrow(`${name}: the account has no wallet ${foreign}`)
  })

  it.each([
    ['the wildcard', `0x${'0'.repeat(64)}`, 'pkpId must identify one wallet'],
    ['the zero address', `0x${'0'.repeat(40)}`, 'pkpId must identify one wallet'],
    ['no hex', 'wallet', 'pkpId must be a wallet address'],
    ['hex of another length', '0x1234', 'pkpId must be a wallet address'],
  ])('is rejected for %s', async (_what, wallet, message) => {
    await expect(asked(account, await operation(wallet))).rejects.toThrow(`${name}: ${message}`)
  })

  it('is rejected after the API key of the run was revoked', async () => {
    const revoked = () => {
      throw new Error('revoked')
    }
    const refused = capabilityFor(keyring, CID, revoked).keyOperation(await operation(pkpId))
    await expect(refused).rejects.toThrow(
      `${name}: the API key that started this run has been revoked`,
    )
  })

  it('is rejected while permissions cannot be read from the chain', async () => {
    const away = () => {
      throw new ContractUnavailableError('its nodes do not respond')
    }
    const refused = capabilityFor(keyring, CID, away).keyOperation(await operation(pkpId))
    await expect(refused).rejects.toThrow('its nodes do not respond')
  })

  it('is rejected for a usage key of another group', async () => {
    const usageKey = { executeInGroups: new Set([2]) } as unknown as AccountUsageKey
    const two: AccountGroup = { ...account.groups.get(1)!, id: 2, pkpIds: new Set() }
    const groups = new Map([...account.groups, [2, two]])
    const holder = (): Principal => ({
      account: { ...account, groups },
      keyHash: id('u'),
      usageKey,
    })
    const refused = capabilityFor(keyring, CID, holder).keyOperation(await operation(pkpId))
    await expect(refused).rejects.toThrow(
      `${name}: the wallet ${pkpId} and the action ${CID} are not in the same group`,
    )
  })
})

describe('a ciphertext of a wallet', () => {
  const decrypted = (holder: Account, wallet: string, ciphertext: string) =>
    asked(holder, { name: 'decrypt', pkpId: wallet, ciphertext })

  it('can be decrypted for the wallet, also by another action', async () => {
    const two: AccountGroup = {
      ...account.groups.get(1)!,
      cidHashes: new Set([cidHash(OTHER_CID)]),
    }
    const other = { ...account, groups: new Map([[1, two]]) }
    const ciphertext = await encrypted('grüße')
    expect(await decrypted(account, pkpId, ciphertext)).toBe('grüße')
    const elsewhere = asked(other, { name: 'decrypt', pkpId, ciphertext }, OTHER_CID)
    expect(await elsewhere).toBe('grüße')
  })

  it('ciphertext of another wallet: permission for one wallet does not decrypt it', async () => {
    const wallets = ['permitted', 'outside'].map((path) => pkpIdOf(account.hash, path))
    const group = { ...account.groups.get(1)!, pkpIds: new Set(wallets) }
    const both = { ...account, groups: new Map([[1, group]]) }
    await expect(decrypted(both, outside, await encrypted())).rejects.toThrow(
      'decrypt: the ciphertext was modified, truncated, or encrypted for another wallet or account',
    )
  })

  it('ciphertext of another account: a wallet registered with the same path does not decrypt it', async () => {
    const other = accountOf('another account', ['permitted'], [CID])
    await expect(decrypted(other, foreign, await encrypted())).rejects.toThrow(
      'decrypt: the ciphertext was modified, truncated, or encrypted for another wallet or account',
    )
  })

  it('is limited in size, and the error names the operation', async () => {
    const long = 'é'.repeat(ENCRYPTED_MESSAGE_MAX_BYTES / 2 + 1)
    await expect(encrypted(long)).rejects.toThrow('encrypt: the message has 65538 bytes')
    await expect(encrypted('\ud800')).rejects.toThrow(
      'encrypt: the message contains a lone surrogate',
    )
    await expect(decrypted(account, pkpId, '!')).rejects.toThrow('decrypt: the ciphertext is not')
  })
})

describe('a signing operation', () => {
  it('is signed by the wallet, and names itself in an error', async () => {
    const message = '0x68656c6c6f'
    const signature = await asked(account, { name: 'signMessage', pkpId, message })
    expect(verifyMessage('hello', signature)).toBe(pkpId)
    const refused = asked(account, { name: 'signMessage', pkpId, message: 'hello' })
    await expect(refused).rejects.toThrow('signMessage: message: expected bytes')
  })

  it('reveals nothing about its input to an action without permission', async () => {
    const refused = asked(account, { name: 'signMessage', pkpId: outside, message: 'no hex' })
    await expect(refused).rejects.toThrow('are not in the same group')
  })

  it('sender of another wallet: rejects a transaction from another wallet of the account', async () => {
    const transaction = JSON.stringify({ from: outside })
    const refused = asked(account, { name: 'signTransaction', pkpId, transaction })
    await expect(refused).rejects.toThrow(
      `signTransaction: transaction.from: is not the address of the wallet, ${pkpId}`,
    )
  })
})

describe('the keys of an action', () => {
  it('are separate, and another action can get only their public keys', async () => {
    const own = await asked(account, { name: 'getSvcActionPrivateKey' })
    expect(own).toMatch(/^0x[0-9a-f]{64}$/)
    const address = { name: 'getSvcActionWalletAddress', ipfsId: CID } as const
    expect(await asked(account, address, OTHER_CID)).toBe(computeAddress(own))
    const publicKey = { name: 'getSvcActionPublicKey', ipfsId: CID } as const
    expect(computeAddress(await asked(account, publicKey, OTHER_CID))).toBe(computeAddress(own))
    expect(await asked(account, { name: 'getSvcActionPrivateKey' }, OTHER_CID)).not.toBe(own)
  })

  it.each(['', 'Qm', `${CID}x`, CID.toLowerCase(), '../root'])(
    'cannot be requested with the ID %j',
    async (ipfsId) => {
      for (const name of ['getSvcActionPublicKey', 'getSvcActionWalletAddress'] as const)
        await expect(asked(account, { name, ipfsId })).rejects.toThrow(
          `${name}: ipfsId must be a CIDv0`,
        )
    },
  )
})
