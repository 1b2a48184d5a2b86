import type { ErrorStatus } from '../../../shared/errors/error-names.ts'
import type { Operation } from '../operation.ts'

/** Lists the error statuses of an operation: those implied by its properties, and those in its `statuses`. */
export function failureStatuses(operation: Operation<any, any>): ErrorStatus[] {
  const { auth, walletAuth, body, query, list, csv, method } = operation
  const { writes, isFree, statuses = [] } = operation
  // 429 if the origin is overloaded, and 500 for an internal error.
  const found = new Set<ErrorStatus>([...statuses, 429, 500])
  const add = (...more: ErrorStatus[]) => more.forEach((status) => found.add(status))
  // 503 if the accounts mirror is too old to resolve keys.
  if (auth !== 'none') add(401, 503)
  // 400 if two credentials were sent, or if the proof in the header is malformed.
  if (auth !== 'none') add(400)
  if (walletAuth) add(422)
  const isKeyed = auth === 'key' || auth === 'account_key'
  // 403 if a usage key was sent but the account key is required, or if the account was converted after the account key
  // was issued.
  if (isKeyed) add(403)
  // 408 if the body arrived too slowly, and 503 if no memory was available for the body.
  if (body) add(400, 408, 413, 415, 422, 503)
  if (query) add(400, 422)
  if (list || csv) add(400)
  // Idempotency-Key: 400 if the key is malformed, 409 if a request with the same key is in flight, 422 if the first
  // request with the key had another body.
  if (auth !== 'none' && method === 'POST') add(400, 409, 422)
  if (writes !== undefined && !isFree) add(402)
  return [...found].toSorted((a, b) => a - b)
}
