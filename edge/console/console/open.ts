/** From a key or a wallet to a connection: the clients that the console asks by. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { ApiClient } from '../../../shared/client/api/client.ts'
import { createClient } from '../../../shared/client/client.ts'
import { Forbidden } from '../../../shared/client/failures/by-status.ts'
import { SvcError } from '../../../shared/client/failures.ts'
import type { Step } from '../../../shared/client/options.ts'
import { encodeHex } from '../../../shared/hex.ts'
import type { KeyConnection } from './connection.ts'
import { tellStep } from './told.ts'

/** Of the core API, as the page names it; `once`: it shows its evidence before it is given a key. */
export type Origin = { baseUrl: string; verify: 'once' | 'never' }

/** The session of the person who is signed in is none of the core API's business: no cookie goes with a key. */
export const withoutCookies: typeof fetch = (input, init) =>
  fetch(input, { ...init, credentials: 'omit' })

export function clientOfKey(apiKey: string | undefined, origin: Origin): ApiClient {
  const options = { ...origin, fetch: withoutCookies }
  return createClient(apiKey === undefined ? options : { ...options, apiKey })
}

/** Says which step of a write by a wallet is under way. */
export const tellStepOf = ({ step }: Step) => tellStep(STEPS[step])

const STEPS: Record<Step['step'], string> = {
  sign: 'sign it in your wallet',
  confirm: 'confirm the transaction in your wallet',
  sent: 'sent, and waiting for a block',
  mined: 'in a block, and waiting for the service to see it',
  seen: 'seen by the service',
}

/** @throws {SvcError} `unknown_key` for a key of no account; what the client throws */
export async function connectKey(apiKey: string, origin: Origin): Promise<KeyConnection> {
  const client = clientOfKey(apiKey, origin)
  if (!(await client.accountExists())) {
    const fix = 'Look whether it is whole, and whether it was removed or replaced.'
    throw new SvcError('This key resolves to no account', { code: 'unknown_key', fix })
  }
  return { by: 'key', client, apiKey, keyHash: keyHashOf(apiKey), scope: await scopeOf(client) }
}

/** What an account key alone may read tells which kind this one is. */
async function scopeOf(client: ApiClient): Promise<KeyConnection['scope']> {
  try {
    for await (const _key of client.listApiKeys()) break
    return 'account'
  } catch (failure) {
    if (!(failure instanceof Forbidden)) throw failure
    return /ChainSecured/.test(failure.message) ? 'billing' : 'usage'
  }
}

/** The hash that the contract knows a key by (`decisions.md`, API keys). */
export function keyHashOf(apiKey: string): string {
  return `0x${encodeHex(keccak_256(new TextEncoder().encode(apiKey)))}`
}
