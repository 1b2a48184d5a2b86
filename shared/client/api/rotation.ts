/** Another account key in the place of the one that the client has. */
import type { CoreCalls } from '../core/core-calls.ts'
import { SvcError } from '../failures.ts'
import { Conflict, ServerFailure, ServiceUnavailable, Unauthorized } from '../failures/by-status.ts'
import { NetworkFailed, NotSent, NotTheApi } from '../failures/on-the-way.ts'
import type { CallOptions } from '../options.ts'
import type { Requester } from '../request.ts'
import { accountExists } from './account.ts'
import type { AccountKey } from './account-key.ts'

const KEY_BYTES = 32

export type RotationOptions = CallOptions & {
  /**
   * Given the new key before it is sent, and awaited: what was stored then can not be lost with this process. Beside the
   * old one, which counts where the call fails.
   */
  keep?: (newApiKey: string) => unknown
}
export type Rotated = { api_key: string; api_key_hash: string }

/** Neither key could be asked which of them counts. The client keeps using the old one. */
export class RotationUnknown extends NetworkFailed {
  override name = 'RotationUnknown'
  // Not a property: those are printed with the error.
  readonly #newApiKey: string
  constructor(newApiKey: string, cause: unknown) {
    const fix =
      'Keep newApiKey of this failure beside the old key; accountExists(newApiKey) says when it counts. Until then the old one does.'
    super({ mayHaveBeenExecuted: true, fix }, { cause })
    this.#newApiKey = newApiKey
  }

  /** Secret. */
  get newApiKey(): string {
    return this.#newApiKey
  }
}

export type RotationParts = {
  requester: Requester
  calls: CoreCalls
  key: AccountKey
  random: (bytes: number) => Uint8Array
}

/**
 * Replaces the account key by one that is made here, so that no lost answer has the only copy of it. The client uses the
 * new one from then on; the old one is worth nothing.
 * @throws {NotSent} `rotation_under_way`
 * @throws {RotationUnknown} where nobody answers which of both counts
 */
export async function rotateAccountApiKey(
  parts: RotationParts,
  options?: RotationOptions,
): Promise<Rotated> {
  const { key } = parts
  // Of two at once one fails, and who has kept the key of that one last has lost the account.
  if (key.isRotating)
    throw new NotSent(
      'rotation_under_way',
      'the key of this client is being replaced already',
      'Wait for the other call; it has the new key.',
    )
  key.isRotating = true
  try {
    return await rotated(parts, options)
  } finally {
    key.isRotating = false
  }
}

async function rotated(
  { requester, calls, key, random }: RotationParts,
  { keep, ...options }: RotationOptions = {},
): Promise<Rotated> {
  options.signal?.throwIfAborted()
  const api_key = btoa(String.fromCharCode(...random(KEY_BYTES)))
  await keep?.(api_key)
  try {
    const answer = await calls.write<{ api_key_hash: string }>(
      'rotate_account_api_key',
      { new_api_key: api_key },
      options,
    )
    key.use(api_key)
    return { api_key, api_key_hash: answer.api_key_hash }
  } catch (error) {
    if (!isOutcomeOpen(error)) throw error
    const counts = await accountExists(requester, { apiKey: api_key }, options).catch(
      () => undefined,
    )
    if (counts === true) {
      key.use(api_key)
      return { api_key, api_key_hash: await hashOf(api_key) }
    }
    // The old key is refused, and not because of the new one.
    if (counts === false && error instanceof Unauthorized) throw error
    throw new RotationUnknown(api_key, error)
  }
}

/** Whether the new key may count all the same: sent again after a lost answer, the old key is 401. An abort is no `SvcError`. */
function isOutcomeOpen(error: unknown): boolean {
  return (
    !(error instanceof SvcError) ||
    error instanceof Unauthorized ||
    (error instanceof NetworkFailed && error.mayHaveBeenExecuted) ||
    error instanceof NotTheApi ||
    error instanceof ServerFailure ||
    error instanceof ServiceUnavailable ||
    (error instanceof Conflict && SHOWN_OR_UNDER_WAY.has(error.code))
  )
}

const SHOWN_OR_UNDER_WAY = new Set(['key_shown_before', 'request_in_progress', 'outcome_unknown'])

/** The hash that the contract knows a key by (`decisions.md`, API keys). */
async function hashOf(apiKey: string): Promise<string> {
  const [{ keccak_256 }, { encodeHex }] = await Promise.all([
    import('@noble/hashes/sha3.js'),
    import('../../hex.ts'),
  ])
  return `0x${encodeHex(keccak_256(new TextEncoder().encode(apiKey)))}`
}
