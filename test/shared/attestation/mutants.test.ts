/**
 * Changes good evidence in one place at a time. Each change is rejected by the expected rule, with the expected reason.
 */
import { describe, expect, it } from 'vitest'
import type { EvidenceBundle } from '../../../shared/attestation/evidence.ts'
import type { Policy } from '../../../shared/attestation/policy.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import { craftedMachine, craftedPin } from './crafted-machine.ts'
import { goodEvidence, NOW, pinnedPolicy } from './good-evidence.ts'
import { COLLATERAL } from './mutants/collateral.ts'
import { COMPOSE } from './mutants/compose.ts'
import { FILES } from './mutants/files.ts'
import { FRESH } from './mutants/fresh.ts'
import { LOG } from './mutants/log.ts'
import { NAMES } from './mutants/names.ts'
import { QUOTE } from './mutants/quote.ts'

const policy: Policy = {
  root: { kind: 'simulated', spkiSha256: craftedPin },
  statuses: ['UpToDate'],
}

const ALL = [...QUOTE, ...FRESH, ...LOG, ...COMPOSE, ...FILES, ...NAMES, ...COLLATERAL]

describe('unchanged evidence', () => {
  it('passes, so that each rejection below is caused by its change', async () => {
    const good = await goodEvidence({ machine: craftedMachine() })
    expect((await verifyBundle(good, policy, NOW)).verdict).toBe('SIMULATED')
  })
})

describe('evidence with a single change is rejected', () => {
  it.each(ALL)('%s', async (_, rule, reason, changed) => {
    const mutant = await changed(await goodEvidence({ machine: craftedMachine() }))
    const report = await verifyBundle(mutant, policy, NOW)
    const result = report.rules.find(({ name }) => name === rule)!
    expect(result.reason).toMatch(reason)
    expect(result.outcome).toBe('failed')
    expect(report.verdict).toBe('FAILED')
  })

  it('under every policy, if the root is foreign and not marked', async () => {
    const [, , , changed] = COLLATERAL.at(-1)!
    const mutant = await changed(await goodEvidence({ machine: craftedMachine() }))
    for (const root of [policy.root, { kind: 'intel' }, { kind: 'any' }] as const) {
      const report = await verifyBundle(mutant, { ...policy, root }, NOW)
      expect(report.rules[0]!.reason).toMatch('is unknown')
    }
  })

  it('for a malformed bundle', async () => {
    const broken = { version: 1 } as unknown as EvidenceBundle
    const report = await verifyBundle(broken, pinnedPolicy(), NOW)
    expect(report.rules[0]!.reason).toMatch('the bundle is invalid')
    expect(report.rules.map(({ outcome }) => outcome)).toEqual(Array(7).fill('failed'))
  })
})
