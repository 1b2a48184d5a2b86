import type { CoreCalls } from '../core/core-calls.ts'
import { SvcError } from '../failures/svc-error.ts'
import { Conflict, ServerFailure, ServiceUnavailable, Unauthorized } from '../failures/by-status.ts'
import { NetworkFailed, NotSent, NotTheApi } from '../failures/transport-errors.ts'
import type { CallOptions } from '../options.ts'
import type { Requester } from '../request.ts'
import { accountExists } from './account.ts'
import type { AccountKey } from './account-key.ts'

const KEY_BYTES = 32

export type RotationOptions = CallOptions & {
  /**
   * Stores the new key. The client awaits the callback before sending the key, so that a stored copy survives a crash.
   * The callback should not overwrite the old key, which stays valid if the call fails.
   */
  keep?: (newApiKey: string) => unknown
}
export type Rotated = { api_key: string; api_key_hash: string }

/** The rotation's outcome is unknown, so either account key may be valid. The client continues to use the old key. */
export class RotationUnknown extends NetworkFailed {
  override name = 'RotationUnknown'
  // The key is private, because public properties are printed with the error.
  readonly #newApiKey: string
  constructor(newApiKey: string, cause: unknown) {
    const fix =
      'Keep newApiKey of this error in addition to the old key. Once accountExists(newApiKey) returns true, the new key is valid; until then, the old one is.'
    super({ mayHaveBeenExecuted: true, fix }, { cause })
    this.#newApiKey = newApiKey
  }

  /** The new account key, which is secret and may be valid. */
  get newApiKey(): string {
    return this.#newApiKey
  }
}

type RotationParts = {
  requester: Requester
  calls: CoreCalls
  key: AccountKey
  random: (bytes: number) => Uint8Array
}

/**
 * Replaces the account key. The new key is generated locally, so it cannot be lost with the response. On success, the
 * client uses the new key, and the old key is invalid.
 * @throws {NotSent} `rotation_under_way`
 * @throws {RotationUnknown} if the service does not confirm which key is valid
 */
export async function rotateAccountApiKey(
  parts: RotationParts,
  options?: RotationOptions,
): Promise<Rotated> {
  const { key } = parts
  // Concurrent rotations are rejected, because one of them would fail. A caller that stores the failed rotation's key
  // last would lose access to the account.
  if (key.isRotating)
    throw new NotSent(
      'rotation_under_way',
      'a rotation of this client’s key is already in progress',
      'Wait for the other call, which returns the new key.',
    )
  key.isRotating = true
  try {
    return await rotateKey(parts, options)
  } finally {
    key.isRotating = false
  }
}

async function rotateKey(
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
    if (!isOutcomeUnknown(error)) throw error
    const isNewKeyValid = await accountExists(requester, { apiKey: api_key }, options).catch(
      () => undefined,
    )
    if (isNewKeyValid === true) {
      key.use(api_key)
      const { apiKeyHash } = await import('../../crypto/keccak.ts')
      return { api_key, api_key_hash: apiKeyHash(api_key) }
    }
    // The service rejects the old key for a reason other than this rotation.
    if (isNewKeyValid === false && error instanceof Unauthorized) throw error
    throw new RotationUnknown(api_key, error)
  }
}

/**
 * Returns true if the error leaves the rotation's outcome unknown. After a lost response, a retry gets 401 because the
 * old key is no longer valid. An error other than `SvcError` is an abort, which also leaves the outcome unknown.
 */
function isOutcomeUnknown(error: unknown): boolean {
  return (
    !(error instanceof SvcError) ||
    error instanceof Unauthorized ||
    (error instanceof NetworkFailed && error.mayHaveBeenExecuted) ||
    error instanceof NotTheApi ||
    error instanceof ServerFailure ||
    error instanceof ServiceUnavailable ||
    (error instanceof Conflict && UNKNOWN_OUTCOME_CODES.has(error.code))
  )
}

const UNKNOWN_OUTCOME_CODES = new Set([
  'key_shown_before',
  'request_in_progress',
  'outcome_unknown',
])
