import { createHash, createHmac, randomUUID } from 'node:crypto'
import { isOwner } from '../accounts/rights.ts'
import type { TransactionOrigin, TransactionRequest } from './types.ts'

/**
 * Returns the identity of a request within its account. Requests with the same identity are the same transaction.
 * Without a run or an idempotency key, every request is a new transaction.
 */
export function identityOf(origin: TransactionOrigin, random: () => string = randomUUID): string {
  const { principal, actionCid, runId, step, idempotencyKey } = origin
  const isInAction = runId !== undefined || step !== undefined
  // A replayed event starts a new run, so the key of an action must not depend on the run.
  if (idempotencyKey !== undefined)
    return isInAction
      ? `action/${actionCid}/${idempotencyKey}`
      : `key/${isOwner(principal) ? OWNER : principal.keyHash}/${idempotencyKey}`
  if (runId !== undefined && step !== undefined) return `run/${runId}/${step}`
  return `random/${random()}`
}

/** The owner's key changes when it is rotated, and a repeated request must not pay twice then. */
const OWNER = 'owner'

/** IDs are keyed hashes, so that a caller can neither choose the ID of a transaction nor guess another one. */
export function transactionId(key: Uint8Array, accountHash: string, identity: string): string {
  const mac = createHmac('sha256', key).update(accountHash).update(identity).digest('hex')
  return `tx_${mac.slice(0, 32)}`
}

/** Returns the SHA-256 of a normalized request, in hex. */
export function requestHashOf(request: TransactionRequest, chainId: number): string {
  const { pkpId, to, data, value, gasLimit, maxFeePerGas, speed, errors = [] } = request
  const amounts = [value, gasLimit, maxFeePerGas].map((amount) => amount?.toString() ?? null)
  const fields = [pkpId, chainId, to, data, ...amounts, speed ?? 'normal', errors]
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}
