import type { Report } from '../../attestation/report.ts'
import type { Verify } from '../options.ts'
import { EvidenceChanged } from './failures.ts'

/**
 * Which application a client has seen first, for as long as the client lives. Under a policy that names compose hashes
 * and is required, an upgrade from one of them to another is what its author has foreseen.
 */
export class PinnedApplication {
  readonly #pinsCompose: boolean
  #seen: Application | undefined

  constructor(verify: Verify) {
    this.#pinsCompose = verify !== 'required'
  }

  /** @throws {EvidenceChanged} for a report that passed, and is of another application */
  require(report: Report): void {
    const found = applicationIn(report)
    const seen = (this.#seen ??= found)
    for (const field of ['root', 'app id', 'compose hash'] as const)
      if (found[field] !== seen[field] && (field !== 'compose hash' || this.#pinsCompose))
        throw new EvidenceChanged(field, seen[field], found[field])
  }
}

type Application = Record<EvidenceChanged['field'], string>

function applicationIn({ root, appId, composeHash }: Report): Application {
  if (!root || appId === undefined || composeHash === undefined)
    throw new Error('evidence that passed names its root and its application')
  return { root: root.spkiSha256, 'app id': appId, 'compose hash': composeHash }
}
