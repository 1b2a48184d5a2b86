/** Calls of tests to the origin, in plaintext and sealed. */
import { randomBytes } from 'node:crypto'
import type { OriginApp } from '../../../origin/http/operation.ts'
import type { OriginServices } from '../../../origin/services.ts'
import type { Database } from '../../../origin/db/open.ts'
import { apiKeyHash } from '../../../shared/crypto/keccak.ts'
import type { StorageBinding } from '../../../shared/envelope/format.ts'
import { importChannelKey, sealCall, sealForStorage } from '../../../shared/envelope/seal.ts'
import { addressOfPkp } from '../../../shared/wire/fields.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { openAccount } from '../credits/process.ts'
import { requireDescribed, requireSpecifiedWord } from './described.ts'

type Call = {
  method?: string
  key?: string
  body?: unknown
  text?: string
  headers?: Record<string, string>
  /** Replaces the origin's own app. */
  app?: OriginApp
}

type ClientOptions = {
  app: OriginApp
  db: Database
  /** Keys of the origin, and the edge's pre-shared key. */
  channel: OriginServices['channel']
  now: () => number
}

/** Functions that call the app directly, without a connection. Responses must be described in the OpenAPI document. */
export function originClient({ app, db, channel, now }: ClientOptions) {
  const call = async (path: string, request: Call = {}) => {
    const { method, key, body, text, headers = {} } = request
    const payload = text ?? (body === undefined ? undefined : JSON.stringify(body))
    const verb = method ?? (payload === undefined ? 'GET' : 'POST')
    const response = await (request.app ?? app).request(path, {
      method: verb,
      headers: {
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
    })
    const { status, headers: answered } = response
    const answer = { status, headers: answered, body: jsonOr(await response.text()) }
    // Another app contains test doubles, which may fail in ways that the real app cannot.
    requireSpecifiedWord(answer)
    if (!request.app) requireDescribed({ method: verb, path }, answer)
    return answer
  }
  const core = (name: string, options: Call) => call(`/core/v1/${name}`, options)

  /** Returns the bytes of a sealed request, and a function that opens the response. */
  const seal = async (path: string, fields: object, mode: 'psk' | 'base' = 'psk') =>
    sealCall(await importChannelKey(Uint8Array.from(channel.current.publicKey)), {
      method: 'POST',
      path,
      plaintext: Uint8Array.from(Buffer.from(JSON.stringify({ ...fresh(now()), ...fields }))),
      ...(mode === 'psk' ? { psk: Uint8Array.from(channel.keys.psk) } : {}),
    })
  const post = async (path: string, body: Uint8Array<ArrayBuffer>) =>
    app.request(path, { method: 'POST', body })
  const sealed = async (
    path: string,
    fields: object,
    mode: 'psk' | 'base' = 'psk',
  ): Promise<any> => {
    const { body, open } = await seal(path, fields, mode)
    const response = await post(path, body)
    if (response.status !== 200) return { unsealed: response.status }
    const answer = await open(new Uint8Array(await response.arrayBuffer()))
    return JSON.parse(Buffer.from(answer).toString('utf8'))
  }

  return {
    call,
    core,
    post,
    seal,
    sealed,
    /** Creates an account and returns its key. */
    account: async (): Promise<string> => {
      const body = { account_name: 'test', account_description: '' }
      return (await core('new_account', { body })).body.api_key
    },
    /** Creates an account with exactly this balance and returns its key. */
    poor: async (cents: number): Promise<string> => {
      const body = { account_name: 'poor', account_description: '' }
      const key: string = (await core('new_account', { body })).body.api_key
      await openAccount(db, cents, apiKeyHash(key))
      return key
    },
    wallet: async (key: string): Promise<{ wallet_address: string; pkp_id: string }> =>
      (await core('create_wallet', { key, method: 'POST' })).body,
    policyWallet: async (
      key: string,
      policy: object,
    ): Promise<{ wallet_address: string; pkp_id: string; policy_hash: string }> =>
      (await core('create_wallet', { key, body: { policy } })).body,
    group: async (key: string, permits: object): Promise<number> =>
      (await core('add_group', { key, body: { name: 'group', ...permits } })).body.group_id,
    /** Queues an empty transaction to the wallet itself. @returns its ID */
    transaction: async (key: string, pkpId: string): Promise<string> => {
      const body = { pkp_id: pkpId, chain: 'ethereum', to: addressOfPkp(pkpId) }
      return (await core('send_transaction', { key, body })).body.id
    },
    usageKey: async (key: string, grants: object): Promise<string> =>
      (await core('add_usage_api_key', { key, body: { name: 'usage', ...grants } })).body
        .usage_api_key,
    hashOf: apiKeyHash,
    run: (key: string, code: string, js_params: object = {}) =>
      core('svc_action', { key, body: { code, js_params } }),
    execute: (fields: object, mode: 'psk' | 'base' = 'psk') =>
      sealed(SEALED_EXECUTE_PATH, { js_params: {}, wait_ms: 5_000, ...fields }, mode),
    /** Seals a usage key as the edge stores it. */
    sealKey: async (key: string, binding: StorageBinding) => {
      const to = await importChannelKey(Uint8Array.from(channel.storage.publicKey))
      return Buffer.from(await sealForStorage(to, key, binding)).toString('base64url')
    },
  }
}

/** The fields that every sealed request contains. */
export function fresh(now: number) {
  return {
    request_id: randomBytes(16).toString('base64url'),
    issued_at: now,
    expires_at: now + 60_000,
  }
}

/** Returns `any`, because tests read many shapes and check them by their expectations. */
function jsonOr(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
