/// <reference path="../edge/provided.d.ts" />
import type { TestProject } from 'vitest/node'
import { goodEvidence } from '../shared/attestation/good-evidence.ts'

/** Evidence for tests in workerd, which can verify it and not make it: its `node:crypto` signs with no key object. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('evidence', await goodEvidence())
}
