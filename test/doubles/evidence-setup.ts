import type { TestProject } from 'vitest/node'
import type { Provided } from '../edge/provided.d.ts'
import { goodEvidence } from '../shared/attestation/good-evidence.ts'

/** Evidence for tests in workerd, which can verify it and not make it: its `node:crypto` signs with no key object. */
export default async function setup(project: TestProject): Promise<void> {
  const { evidence }: Pick<Provided, 'evidence'> = { evidence: await goodEvidence() }
  project.provide('evidence', evidence)
}
