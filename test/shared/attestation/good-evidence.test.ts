import { describe, expect, it } from 'vitest'
import { RULES } from '../../../shared/attestation/policy.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import { goodEvidence, NOW, pinnedPolicy, simulatedMachine } from './good-evidence.ts'

describe('evidence of a simulated machine', () => {
  it('passes all seven rules under its pin, with the verdict SIMULATED', async () => {
    const report = await verifyBundle(await goodEvidence(), pinnedPolicy(), NOW)
    expect(report.rules.map(({ name, outcome, reason }) => [name, outcome, reason])).toEqual(
      RULES.map((name) => [name, 'passed', expect.any(String)]),
    )
    expect(report.verdict).toBe('SIMULATED')
  })

  it('passes under a policy that accepts any root', async () => {
    const policy = { ...pinnedPolicy(), root: { kind: 'any' } } as const
    const report = await verifyBundle(await goodEvidence(), policy, NOW)
    expect(report.verdict).toBe('SIMULATED')
    expect(report.root).toMatchObject({ kind: 'simulated', name: 'CN=SIMULATED SGX Root CA' })
  })

  it('is refused under the root of Intel', async () => {
    const policy = { ...pinnedPolicy(), root: { kind: 'intel' } } as const
    const report = await verifyBundle(await goodEvidence(), policy, NOW)
    expect(report.verdict).toBe('FAILED')
    expect(report.rules[0]!.reason).toBe("the root is simulated, but Intel's is required")
  })

  it('is rejected under the pin of another simulated root', async () => {
    const report = await verifyBundle(await goodEvidence(), pinnedPolicy(2), NOW)
    expect(report.rules[0]!.reason).toBe('the root is simulated, but not the pinned one')
    expect(report.keys).toBeUndefined()
  })

  it('names the measurements and the keys', async () => {
    const machine = simulatedMachine()
    const { tcb_info, app_id, compose_hash } = await machine.info()
    const report = await verifyBundle(await goodEvidence({ machine }), pinnedPolicy(), NOW)
    const { mrtd, rtmr3 } = tcb_info as unknown as { mrtd: string; rtmr3: string }
    expect(report).toMatchObject({ appId: app_id, composeHash: compose_hash })
    expect(report.measurements).toMatchObject({ mrtd, rtmr3 })
    expect(report.keys?.channel).toHaveLength(65)
  })

  it('lists what it does not prove', async () => {
    const { fresh: _, ...stale } = await goodEvidence()
    const { open } = await verifyBundle(stale, pinnedPolicy(), NOW)
    expect(open).toEqual([
      expect.stringContaining('Which firmware'),
      expect.stringContaining('Whether the machine is live'),
      expect.stringContaining('the root is simulated'),
      expect.stringContaining('Whether this is the application that you expect'),
    ])
  })
})
