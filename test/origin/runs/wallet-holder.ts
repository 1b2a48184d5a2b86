/** Accounts built by hand, with wallets of a single keyring. */
import { computeAddress, id, zeroPadValue } from 'ethers'
import type { Account, AccountGroup } from '../../../origin/accounts/account.ts'
import { cidHash } from '../../../shared/cid/cid-format.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'

export const keyring = new Keyring(new Uint8Array(32).fill(1))
export const texts = { name: '', description: '' }

/** Creates an account with wallets at these paths. Group 1 has the first wallet and these actions. */
export function accountOf(name: string, paths: string[], cids: string[]): Account {
  const hash = id(name)
  const wallets = paths.map((path) => {
    const pkpId = pkpIdOf(hash, path)
    return [pkpId, { pkpId, derivationPath: id(path), ...texts }] as const
  })
  const [first] = wallets
  const group: AccountGroup = {
    id: 1,
    ...texts,
    cidHashes: new Set(cids.map(cidHash)),
    pkpIds: new Set(first === undefined ? [] : [first[0]]),
  }
  return {
    hash,
    managed: true,
    adminWallet: '',
    ...texts,
    createdAt: 0,
    hashes: new Map(),
    wallets: new Map(wallets),
    groups: new Map([[1, group]]),
    usageKeys: new Map(),
    actions: new Map(),
  }
}

/** The EIP-55 address. */
export const addressOf = (hash: string, path: string): string =>
  computeAddress(keyring.walletKey(hash, id(path)))

export const pkpIdOf = (hash: string, path: string): string =>
  zeroPadValue(addressOf(hash, path), 32).toLowerCase()
