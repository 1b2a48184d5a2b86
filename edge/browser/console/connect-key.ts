import type { ApiClient } from '../../../shared/client/api/client.ts'
import { createClient } from '../../../shared/client/client.ts'
import { Forbidden } from '../../../shared/client/failures/by-status.ts'
import { SvcError } from '../../../shared/client/failures/svc-error.ts'
import type { ClientPolicy } from '../../../shared/client/verification/client-policy.ts'
import type { Step } from '../../../shared/client/options.ts'
import { apiKeyHash } from '../../../shared/crypto/keccak.ts'
import type { KeyConnection } from './connection.ts'
import { reportStep } from './progress.ts'

/** With `verify: 'once'`, the origin's evidence is verified before a key is sent. */
export type Origin = { baseUrl: string; verify: 'once' | 'never'; policy?: ClientPolicy }

/** The core API must not receive the session of the signed-in user. */
export const fetchWithoutCookies: typeof fetch = (input, init) =>
  fetch(input, { ...init, credentials: 'omit' })

export function createKeyClient(apiKey: string | undefined, origin: Origin): ApiClient {
  const options = { ...origin, fetch: fetchWithoutCookies }
  return createClient(apiKey === undefined ? options : { ...options, apiKey })
}

export const announceStep = ({ step }: Step) => reportStep(STEP_TEXTS[step])

const STEP_TEXTS: Record<Step['step'], string> = {
  sign: 'sign in your wallet',
  confirm: 'confirm the transaction in your wallet',
  sent: 'sent, waiting for a block',
  mined: 'in a block, waiting for the service',
  seen: 'confirmed by the service',
}

/**
 * @throws {SvcError} with the code `unknown_key` if the key does not belong to an account; also any error of the client
 */
export async function connectKey(apiKey: string, origin: Origin): Promise<KeyConnection> {
  const client = createKeyClient(apiKey, origin)
  if (!(await client.accountExists())) {
    const fix = 'Check that the key is complete and was not removed or replaced.'
    throw new SvcError('No account found for this key', { code: 'unknown_key', fix })
  }
  return {
    by: 'key',
    client,
    apiKey,
    keyHash: apiKeyHash(apiKey),
    scope: await readKeyScope(client, apiKeyHash(apiKey)),
  }
}

/** A usage key either cannot list the usage keys, or is in the list. */
async function readKeyScope(client: ApiClient, keyHash: string): Promise<KeyConnection['scope']> {
  try {
    for await (const key of client.listApiKeys()) if (key.api_key_hash === keyHash) return 'usage'
    return 'account'
  } catch (failure) {
    if (!(failure instanceof Forbidden)) throw failure
    return /ChainSecured/.test(failure.message) ? 'billing' : 'usage'
  }
}
