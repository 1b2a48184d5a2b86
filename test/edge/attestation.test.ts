import { describe, expect, inject, it } from 'vitest'
import type { Policy } from '../../shared/attestation/policy.ts'
import { verifyBundle } from '../../shared/attestation/verify.ts'

const policy: Policy = { root: { kind: 'any' }, statuses: ['UpToDate'] }

describe('evidence in a Worker', () => {
  it('verifies as it does elsewhere', async () => {
    const bundle = inject('evidence')
    const report = await verifyBundle(bundle, policy, new Date(bundle.fetched_at))
    expect(report.rules.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    expect(report.verdict).toBe('SIMULATED')
  })

  it('is refused for one bit of its quote', async () => {
    const { attestation, ...rest } = inject('evidence')
    // Within MRTD.
    const quote = `${attestation.quote.slice(0, 380)}0000${attestation.quote.slice(384)}`
    const bundle = { ...rest, attestation: { ...attestation, quote } }
    const report = await verifyBundle(bundle, policy, new Date(bundle.fetched_at))
    expect(report.rules[0]!.reason).toBe(
      'the quote does not verify: ISV enclave report signature is invalid',
    )
  })

  it('is refused for one bit of a revocation list', async () => {
    const { collateral, ...rest } = inject('evidence')
    const pck_crl = collateral.pck_crl.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    const bundle = { ...rest, collateral: { ...collateral, pck_crl } }
    const report = await verifyBundle(bundle, policy, new Date(bundle.fetched_at))
    expect(report.rules[0]!.reason).toBe('the PCK revocation list is not signed by its issuer')
  })
})
