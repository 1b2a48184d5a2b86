import type { ErrorStatus } from '../../../shared/errors/error-names.ts'
import type { AnyApiOperation } from '../api-operation.ts'

export function errorStatuses({
  method,
  path,
  scope,
  query,
  body,
  failures = [],
}: AnyApiOperation): ErrorStatus[] {
  // Any operation can fail with 503, for example while the database or a Durable Object restarts.
  const found = new Set<ErrorStatus>([401, 500, 503, ...failures])
  if (scope !== null) found.add(403)
  if (method !== 'get') found.add(429)
  if (path.includes('{id}')) found.add(404)
  if (query) found.add(422)
  if (body) for (const status of [400, 413, 415, 422] as const) found.add(status)
  return [...found].toSorted((a, b) => a - b)
}
