import { describe, expect, inject, it } from 'vitest'
import type { Policy } from '../../shared/attestation/policy.ts'
import { verifyBundle } from '../../shared/attestation/verify.ts'

const policy: Policy = { root: { kind: 'any' }, statuses: ['UpToDate'] }

describe('evidence verification in a Worker', () => {
  it('accepts valid evidence', async () => {
    const bundle = inject('evidence')
    const report = await verifyBundle(bundle, policy, new Date(bundle.fetched_at))
    expect(report.rules.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    expect(report.verdict).toBe('SIMULATED')
  })

  it('rejects a quote with altered bytes', async () => {
    const { attestation, ...rest } = inject('evidence')
    // These bytes are part of MRTD.
    const quote = `${attestation.quote.slice(0, 380)}0000${attestation.quote.slice(384)}`
    const bundle = { ...rest, attestation: { ...attestation, quote } }
    const report = await verifyBundle(bundle, policy, new Date(bundle.fetched_at))
    expect(report.rules[0]!.reason).toBe(
      'the quote is invalid: ISV enclave report signature is invalid',
    )
  })

  it('rejects an altered revocation list', async () => {
    const { collateral, ...rest } = inject('evidence')
    const pck_crl = collateral.pck_crl.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
    const bundle = { ...rest, collateral: { ...collateral, pck_crl } }
    const report = await verifyBundle(bundle, policy, new Date(bundle.fetched_at))
    expect(report.rules[0]!.reason).toBe('the PCK revocation list is not signed by its issuer')
  })
})
