import type { Measurements, Policy } from '../../attestation/policy.ts'
import { isLoopback } from '../../network/loopback.ts'
import { PolicyIncomplete } from './failures.ts'

/**
 * When to verify the origin's evidence.
 * - `once`: before the first key is sent, and again after an hour. The application is pinned on first use. A different
 * application is rejected later.
 * - `required`: like `once`, but the policy must name the application (`composeHashes`) and the accepted machines
 * (`measurements`, or `'open'`). The evidence must name the host of the base URL. Actions are sealed by default.
 * - `never`: the client relies on TLS alone.
 */
export type Verify = 'once' | 'required' | 'never'

/**
 * Policy for the origin's evidence. By default, the root must be Intel's, and the platform must be up to date.
 * `measurements: 'open'` accepts any firmware and operating system.
 */
export type ClientPolicy = Partial<Omit<Policy, 'measurements'>> & {
  measurements?: readonly Measurements[] | 'open'
}

/**
 * Completes the policy with defaults. With `once`, an origin on loopback may use any root, because a local stack is
 * simulated, and no other machine can intercept the connection. Otherwise, a simulated root is accepted only if the
 * policy names it.
 * @throws {PolicyIncomplete} if `verify` is `required` and the policy does not name the application or the accepted
 * machines
 */
export function clientPolicy(baseUrl: string, verify: Verify, given: ClientPolicy = {}): Policy {
  if (verify === 'required') requireCompletePolicy(given)
  const { measurements, ...rest } = given
  const isLocal = verify === 'once' && isLoopback(new URL(baseUrl).hostname)
  return {
    root: isLocal ? { kind: 'any' } : { kind: 'intel' },
    statuses: ['UpToDate'],
    ...rest,
    ...(measurements !== undefined && measurements !== 'open' && { measurements }),
  }
}

function requireCompletePolicy({ composeHashes, measurements, root }: ClientPolicy): void {
  if (!composeHashes?.length)
    throw new PolicyIncomplete(
      'policy.composeHashes',
      'List the compose hashes that you have reviewed: SHA-256 in hex of app_compose, which GET /info returns.',
    )
  if (measurements !== 'open' && !measurements?.length)
    throw new PolicyIncomplete(
      'policy.measurements',
      'List the machines (MRTD, RTMR0-2) that you accept, or use "open" to accept any firmware and operating system.',
    )
  if (root?.kind === 'any')
    throw new PolicyIncomplete(
      'a specific policy.root',
      'Omit it for Intel’s root, or pin a simulated one by its SHA-256.',
    )
}
