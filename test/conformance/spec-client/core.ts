/** Client of the core API that relies only on names from the specification. */
import { cidIn, existsIn, groupIdIn, pkpIdIn, rowsIn, usageKeyIn } from './discover.ts'
import { SpecError, SpecViolation, askCore, fieldsOf, isFields, type Answer } from './http.ts'
import { type Fetch, type Fields } from './http.ts'
import { actionCid, groupId, groupName, keyToRemove, walletId } from './spellings.ts'
import type { ConvertAccount } from './convert-account.ts'

export const ALL_WALLETS = `0x${'0'.repeat(64)}`
export const ALL_ACTIONS = 0

export type GroupFields = {
  name: string
  description?: string
  pkp_ids_permitted?: string[]
  cid_hashes_permitted?: (string | number)[]
}
export type UsageKeyFields = {
  name: string
  description: string
  can_create_groups: boolean
  can_delete_groups: boolean
  can_create_pkps: boolean
  manage_ipfs_ids_in_groups: number[]
  add_pkp_to_groups: number[]
  remove_pkp_from_groups: number[]
  execute_in_groups: number[]
}
export type Wallet = { address: string; pkpId: string | undefined }

export class CoreClient {
  readonly #baseUrl: string
  readonly #fetch: Fetch

  constructor(baseUrl: string, fetch: Fetch) {
    this.#baseUrl = baseUrl.replace(/\/$/, '')
    this.#fetch = fetch
  }

  async newAccount(account: { name: string; description: string; email?: string }) {
    const json: Fields = { account_name: account.name, account_description: account.description }
    if (account.email !== undefined) json['email'] = account.email
    const { body } = await this.#post('new_account', undefined, json)
    return { apiKey: text(body, 'api_key'), walletAddress: text(body, 'wallet_address') }
  }

  /** Returns false for both a false and a 401: the specification allows either for an unknown key. */
  async accountExists(key: string): Promise<boolean> {
    try {
      return existsIn((await this.#get('account_exists', key)).body)
    } catch (error) {
      if (error instanceof SpecError && error.status === 401) return false
      throw error
    }
  }

  async createWallet(key: string): Promise<Wallet> {
    const { body } = await this.#post('create_wallet', key)
    return { address: text(body, 'wallet_address'), pkpId: pkpIdIn(body) }
  }

  async svcAction(key: string, code: string, params: Fields = {}): Promise<unknown> {
    const { body } = await this.#post('svc_action', key, { code, js_params: params })
    if (!isFields(body) || !('response' in body)) throw new SpecViolation('no response field')
    return body['response']
  }

  async getSvcActionIpfsId(source: string): Promise<string> {
    return cidIn((await this.#post('get_svc_action_ipfs_id', undefined, source)).body)
  }

  async addUsageApiKey(key: string, fields: UsageKeyFields): Promise<string> {
    return usageKeyIn((await this.#post('add_usage_api_key', key, fields)).body)
  }

  async removeUsageApiKey(key: string, usageKey: string): Promise<void> {
    await this.#post('remove_usage_api_key', key, keyToRemove(usageKey))
  }

  async listApiKeys(key: string): Promise<Fields[]> {
    return rowsIn((await this.#get('list_api_keys', key)).body)
  }

  async addGroup(key: string, { name, ...rest }: GroupFields): Promise<number> {
    return groupIdIn((await this.#post('add_group', key, { ...groupName(name), ...rest })).body)
  }

  async addPkpToGroup(key: string, pkpId: string, group: number): Promise<void> {
    await this.#post('add_pkp_to_group', key, { ...groupId(group), ...walletId(pkpId) })
  }

  async addActionToGroup(key: string, cid: string, group: number): Promise<void> {
    await this.#post('add_action_to_group', key, { ...groupId(group), ...actionCid(cid) })
  }

  async updateGroup(key: string, group: number, changes: Partial<GroupFields>): Promise<void> {
    const { name, ...rest } = changes
    const renamed = name === undefined ? {} : groupName(name)
    await this.#post('update_group', key, { ...groupId(group), ...renamed, ...rest })
  }

  async removeGroup(key: string, group: number): Promise<void> {
    await this.#post('remove_group', key, groupId(group))
  }

  async convertToChainSecuredAccount(key: string, proof: ConvertAccount) {
    const { body } = await this.#post('convert_to_chain_secured_account', key, proof)
    return { walletAddress: text(body, 'wallet_address'), apiKeyHash: text(body, 'api_key_hash') }
  }

  async getNodeChainConfig() {
    const { body } = await this.fetchPath('/get_node_chain_config')
    const chainId = isFields(body) ? Number(body['chain_id']) : Number.NaN
    if (!Number.isSafeInteger(chainId)) throw new SpecViolation('chain_id is no chain id')
    return { contractAddress: text(body, 'contract_address'), chainId, body: fieldsOf(body) }
  }

  async processorConfig() {
    const { body } = await this.#get('billing/processor_config')
    return { publishableKey: text(body, 'publishable_key') }
  }

  async createPaymentIntent(key: string, amountCents: number) {
    const request = { amount_cents: amountCents }
    const { body } = await this.#post('billing/create_payment_intent', key, request)
    return {
      clientSecret: text(body, 'client_secret'),
      paymentIntentId: text(body, 'payment_intent_id'),
    }
  }

  async confirmPayment(key: string, paymentIntentId: string): Promise<void> {
    const request = { payment_intent_id: paymentIntentId }
    await this.#post('billing/confirm_payment', key, request)
  }

  async balance(key: string) {
    const { body } = await this.#get('billing/balance', key)
    const cents = isFields(body) ? body['balance_cents'] : undefined
    if (typeof cents !== 'number' || !Number.isSafeInteger(cents)) {
      throw new SpecViolation('balance_cents is no integer')
    }
    return { cents, display: text(body, 'balance_display') }
  }

  async swaggerUi(): Promise<string> {
    return (await this.fetchPath('/core/v1/swagger-ui')).text
  }

  async attestation() {
    const body = (await this.fetchPath('/attestation')).body
    if (!isFields(body)) throw new SpecViolation('/attestation is no object')
    return {
      quote: text(body, 'quote'),
      eventLog: text(body, 'event_log'),
      vmConfig: body['vm_config'],
    }
  }

  async info() {
    const body = (await this.fetchPath('/info')).body
    const tcb = isFields(body) ? body['tcb_info'] : undefined
    return {
      appId: text(body, 'app_id'),
      composeHash: text(body, 'compose_hash'),
      appCompose: text(tcb, 'app_compose'),
    }
  }

  /** Returns an evidence file by name, or the listing for ''. */
  async evidence(file: string): Promise<Answer> {
    return this.fetchPath(`/evidences/${file}`)
  }

  /** Sends a request verbatim, for wrong keys, wrong methods and malformed bodies. */
  async raw(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    raw?: string,
  ): Promise<Answer> {
    const question = { method, url: `${this.#baseUrl}${path}`, headers }
    return askCore(this.#fetch, raw === undefined ? question : { ...question, raw })
  }

  async fetchPath(path: string): Promise<Answer> {
    return askCore(this.#fetch, { method: 'GET', url: `${this.#baseUrl}${path}` })
  }

  #get(name: string, key?: string): Promise<Answer> {
    const url = `${this.#baseUrl}/core/v1/${name}`
    return askCore(this.#fetch, { method: 'GET', url, headers: withKey(key) })
  }

  #post(name: string, key?: string, json?: unknown): Promise<Answer> {
    const url = `${this.#baseUrl}/core/v1/${name}`
    return askCore(this.#fetch, { method: 'POST', url, headers: withKey(key), json })
  }
}

function withKey(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { 'x-api-key': key }
}

function text(body: unknown, name: string): string {
  const value = isFields(body) ? body[name] : undefined
  if (typeof value === 'string') return value
  throw new SpecViolation(`${name} is no string in ${JSON.stringify(body)}`)
}
