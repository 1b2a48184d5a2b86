/** Rule 7: the governance contract allows the compose hash of the machine. */
import { check } from '../check-failed.ts'
import type { EvidenceBundle } from '../evidence.ts'
import type { Machine } from '../machine.ts'
import type { Finding } from '../report.ts'

export type GovernanceDecision = NonNullable<EvidenceBundle['governance']>

/** Function selector of `allowedComposeHashes(bytes32)`: the first 4 bytes of the signature's keccak-256. */
export const ALLOWED_COMPOSE_HASHES = '0x2f6622e5'

export function governanceRule({ governance }: EvidenceBundle, { app }: Machine): Finding {
  if (!governance)
    return {
      outcome: 'not_applicable',
      reason: 'no chain was queried',
      open: ['Whether the governance contract allows this compose hash: no chain was queried.'],
    }
  const { chain_id, allowed } = governance
  const contract = `the contract 0x${app.appId} on chain ${chain_id}`
  check(allowed, `${contract} does not allow the compose hash ${app.composeHash}`)
  return { outcome: 'passed', reason: `${contract} allows the compose hash` }
}
