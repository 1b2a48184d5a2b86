/** An account on one or more origin processes, with one-line methods for its owner's operations. */
import { randomUUID } from 'node:crypto'
import { cidHash } from '../../shared/cid/cid-format.ts'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import type { Answer, OriginProcess } from './origins.ts'

// Reads the wallet's private key, the capability that permissions protect. Does not use ethers, which is slow to load.
const KEY_TAKER = `async function main({ pkpId }) {
  return (await Svc.Actions.getPrivateKey({ pkpId })).length
}`
export const KEY_TAKER_CID = await actionCid(KEY_TAKER)
/** Response of `KEY_TAKER` if it got the key: the length of 32 bytes in 0x-prefixed hex. */
export const KEY_TAKEN = 66

export type Wallet = { wallet_address: string; pkp_id: string }
/** A usage key that one group permits to read a wallet's private key. */
export type Grant = { key: string; groupId: number; wallet: Wallet }

export class AccountHolder {
  key: string
  /** Hash of the account's first key. Stays the same when the key changes. */
  readonly hash: string

  private constructor(key: string) {
    this.key = key
    this.hash = apiKeyHash(key)
  }

  static async open(origin: OriginProcess): Promise<AccountHolder> {
    const body = { account_name: 'holder', account_description: '' }
    return new AccountHolder((await origin.ok('new_account', { body })).api_key)
  }

  call(origin: OriginProcess, path: string, body?: object, idempotencyKey = ''): Promise<Answer> {
    return origin.call(path, { key: this.key, ...(body && { body }), idempotencyKey })
  }

  ok(origin: OriginProcess, path: string, body?: object): Promise<any> {
    return origin.ok(path, { key: this.key, ...(body && { body }) })
  }

  wallet(origin: OriginProcess): Promise<Wallet> {
    return this.ok(origin, 'create_wallet', {})
  }

  /** @returns the ID of the group */
  async group(origin: OriginProcess, more: object = {}): Promise<number> {
    const body = { group_name: `group ${randomUUID()}`, ...more }
    return (await this.ok(origin, 'add_group', body)).group_id
  }

  async usageKey(origin: OriginProcess, more: object = {}): Promise<string> {
    return (await this.ok(origin, 'add_usage_api_key', { name: 'key', ...more })).usage_api_key
  }

  async grant(origin: OriginProcess, wallet: Wallet): Promise<Grant> {
    const groupId = await this.group(origin, {
      pkp_ids_permitted: [wallet.pkp_id],
      cid_hashes_permitted: [cidHash(KEY_TAKER_CID)],
    })
    const key = await this.usageKey(origin, { execute_in_groups: [groupId] })
    return { key, groupId, wallet }
  }
}

/** Answers 200 and `KEY_TAKEN` if the usage key, group and action permit access to the wallet. */
export function takeKey(origin: OriginProcess, key: string, { pkp_id }: Wallet): Promise<Answer> {
  const body = { code: KEY_TAKER, js_params: { pkpId: pkp_id } }
  return origin.call('svc_action', { key, body })
}
