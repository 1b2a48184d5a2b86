import type { ErrorStatus } from '../../../shared/errors.ts'
import type { Operation } from '../operation.ts'

/** Every status other than 200 that an operation can answer with: what its data imply, and what it lists. */
export function failureStatuses(operation: Operation<any, any>): ErrorStatus[] {
  const { auth, walletAuth, body, query, list, csv, method } = operation
  const { writes, isFree, statuses = [] } = operation
  // 429: a node under load; 500: a fault of ours.
  const found = new Set<ErrorStatus>([...statuses, 429, 500])
  const add = (...more: ErrorStatus[]) => more.forEach((status) => found.add(status))
  // 503: the mirror of the accounts is too old to say who a key is.
  if (auth !== 'none') add(401, 503)
  // Two credentials; a proof in the header that is none.
  if (auth !== 'none') add(400)
  if (walletAuth) add(422)
  const isKeyed = auth === 'key' || auth === 'account_key'
  // A usage key where the account key is needed, or the API key from before a conversion.
  if (isKeyed) add(403)
  // 408 and 503: the body arrived too slowly, or there was no memory for it.
  if (body) add(400, 408, 413, 415, 422, 503)
  if (query) add(400, 422)
  if (list || csv) add(400)
  // Idempotency-Key: malformed, of another body, or of a request under way.
  if (auth !== 'none' && method === 'POST') add(400, 409, 422)
  if (writes !== undefined && !isFree) add(402)
  return [...found].toSorted((a, b) => a - b)
}
