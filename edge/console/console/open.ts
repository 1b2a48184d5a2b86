/** Creates clients and connections from API keys. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { ApiClient } from '../../../shared/client/api/client.ts'
import { createClient } from '../../../shared/client/client.ts'
import { Forbidden } from '../../../shared/client/failures/by-status.ts'
import { SvcError } from '../../../shared/client/failures.ts'
import type { Step } from '../../../shared/client/options.ts'
import { encodeHex } from '../../../shared/hex.ts'
import type { KeyConnection } from './connection.ts'
import { tellStep } from './told.ts'

/** The core API. `verify: 'once'` verifies its evidence before a key is sent. */
export type Origin = { baseUrl: string; verify: 'once' | 'never' }

/** Sends requests without cookies: the core API must not receive the session of the signed-in user. */
export const withoutCookies: typeof fetch = (input, init) =>
  fetch(input, { ...init, credentials: 'omit' })

export function clientOfKey(apiKey: string | undefined, origin: Origin): ApiClient {
  const options = { ...origin, fetch: withoutCookies }
  return createClient(apiKey === undefined ? options : { ...options, apiKey })
}

/** Reports the current step of a write by a wallet. */
export const tellStepOf = ({ step }: Step) => tellStep(STEPS[step])

const STEPS: Record<Step['step'], string> = {
  sign: 'sign it in your wallet',
  confirm: 'confirm the transaction in your wallet',
  sent: 'sent, and waiting for a block',
  mined: 'in a block, and waiting for the service to see it',
  seen: 'seen by the service',
}

/** @throws {SvcError} `unknown_key` if the key belongs to no account, and any error of the client */
export async function connectKey(apiKey: string, origin: Origin): Promise<KeyConnection> {
  const client = clientOfKey(apiKey, origin)
  if (!(await client.accountExists())) {
    const fix = 'Look whether it is whole, and whether it was removed or replaced.'
    throw new SvcError('This key resolves to no account', { code: 'unknown_key', fix })
  }
  return { by: 'key', client, apiKey, keyHash: keyHashOf(apiKey), scope: await scopeOf(client) }
}

/** Determines the kind of key by calling an operation that is reserved for account keys. */
async function scopeOf(client: ApiClient): Promise<KeyConnection['scope']> {
  try {
    for await (const _key of client.listApiKeys()) break
    return 'account'
  } catch (failure) {
    if (!(failure instanceof Forbidden)) throw failure
    return /ChainSecured/.test(failure.message) ? 'billing' : 'usage'
  }
}

/** Returns the hash that identifies a key in the contract (`docs/accounts.md`). */
export function keyHashOf(apiKey: string): string {
  return `0x${encodeHex(keccak_256(new TextEncoder().encode(apiKey)))}`
}
