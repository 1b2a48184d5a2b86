/** Derives the evidence policy from a client's options and defaults. */
import type { Policy } from '../../attestation/policy.ts'
import { isLoopback } from '../../loopback.ts'
import type { ClientPolicy, Verify } from '../options.ts'
import { PolicyIncomplete } from './failures.ts'

/**
 * Builds the policy. With `once`, a loopback origin may use any root: a local stack is simulated, and no other machine
 * can be in between. Everywhere else, a simulated root is accepted only if the policy names it.
 * @throws {PolicyIncomplete} if `required` lacks the application or the accepted machines
 */
export function clientPolicy(baseUrl: string, verify: Verify, given: ClientPolicy = {}): Policy {
  if (verify === 'required') requireNamed(given)
  const { measurements, ...rest } = given
  const isLocal = verify === 'once' && isLoopback(new URL(baseUrl).hostname)
  return {
    root: isLocal ? { kind: 'any' } : { kind: 'intel' },
    statuses: ['UpToDate'],
    ...rest,
    ...(measurements !== undefined && measurements !== 'open' && { measurements }),
  }
}

function requireNamed({ composeHashes, measurements, root }: ClientPolicy): void {
  if (!composeHashes?.length)
    throw new PolicyIncomplete(
      'policy.composeHashes',
      'Name the compose hashes that you have read: SHA-256 in hex of app_compose, which GET /info shows.',
    )
  if (measurements !== 'open' && !measurements?.length)
    throw new PolicyIncomplete(
      'policy.measurements',
      'Name the machines (MRTD, RTMR0-2) that you accept, or say "open": any firmware and operating system.',
    )
  if (root?.kind === 'any')
    throw new PolicyIncomplete(
      'policy.root of one kind',
      'Leave it out for Intel’s root, or pin a simulated one by its SHA-256.',
    )
}
