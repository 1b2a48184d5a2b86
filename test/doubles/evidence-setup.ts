import type { TestProject } from 'vitest/node'
import type { Provided } from '../edge/provided.d.ts'
import { goodEvidence } from '../shared/attestation/good-evidence.ts'

/**
 * Provides evidence to tests in workerd, which can verify evidence but not create it: its `node:crypto` cannot sign
 * with key objects.
 */
export default async function setup(project: TestProject): Promise<void> {
  const { evidence }: Pick<Provided, 'evidence'> = { evidence: await goodEvidence() }
  project.provide('evidence', evidence)
}
