// Evidence of real machines, recorded by others. The data is in a sibling folder, not in this repository.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CheckFailedError } from '../../../shared/attestation/check-failed.ts'
import { checkCollateral } from '../../../shared/attestation/collateral.ts'
import { parseEventLog } from '../../../shared/attestation/event-log.ts'
import type { Collateral } from '../../../shared/attestation/evidence.ts'
import { verifyHardware } from '../../../shared/attestation/hardware.ts'
import { verifyMachine } from '../../../shared/attestation/machine.ts'
import { measuredApp } from '../../../shared/attestation/measured-app.ts'
import { parseQuote } from '../../../shared/attestation/quote.ts'
import { checkReplay } from '../../../shared/attestation/replay.ts'
import { sha256 } from './good-evidence.ts'

const folder = fileURLToPath(new URL('../../../../shared/data/attestation', import.meta.url))
const isThere = existsSync(folder)
if (!isThere) console.warn(`Recorded quotes are not at ${folder}: their tests are skipped.`)

const text = (name: string) => readFileSync(join(folder, name), 'utf8')
const json = (name: string): unknown => JSON.parse(text(name))
type Recorded = { quote: string; event_log: string; report_data: string }

/** Each quote with the collateral of its platform, and a time at which both were valid. */
const RECORDED = [
  {
    name: 'quote-report.json',
    quote: () => (json('quote-report.json') as Recorded).quote,
    collateral: () => json('tdx_quote_outdated_collateral.json') as Collateral,
    at: new Date(1_771_977_600_000),
    later: new Date('2026-03-21T00:00:00Z'),
  },
  {
    name: 'tdx_quote',
    quote: () => readFileSync(join(folder, 'tdx_quote')).toString('hex'),
    collateral: () => json('tdx_quote_collateral.json') as Collateral,
    at: new Date('2025-06-20T00:00:00Z'),
    later: new Date('2026-02-25T00:00:00Z'),
  },
]

async function verified(quote: string, collateral: Collateral, at: Date) {
  const checked = await checkCollateral(collateral, { kind: 'intel' }, at)
  return {
    tcb: await verifyHardware(parseQuote(quote), checked, ['UpToDate'], at),
    root: checked.root,
  }
}

/** Flips one bit of a byte in hex. */
function flipped(hex: string, at: number): string {
  const byte = (parseInt(hex.slice(2 * at, 2 * at + 2), 16) ^ 1).toString(16).padStart(2, '0')
  return hex.slice(0, 2 * at) + byte + hex.slice(2 * at + 2)
}

describe.skipIf(!isThere)('a recorded quote of a real machine', () => {
  it.each(RECORDED)('verifies under the root of Intel: $name', async (recorded) => {
    const { tcb, root } = await verified(recorded.quote(), recorded.collateral(), recorded.at)
    expect(tcb.status).toBe('UpToDate')
    expect(root).toMatchObject({
      kind: 'intel',
      name: expect.stringContaining('Intel SGX Root CA'),
    })
  })

  it.each(RECORDED)('is rejected under a simulated root: $name', async ({ collateral, at }) => {
    const policy = { kind: 'simulated', spkiSha256: 'ab'.repeat(32) } as const
    await expect(checkCollateral(collateral(), policy, at)).rejects.toThrow(
      "the root is Intel's, but a simulated one is required",
    )
  })

  it.each(RECORDED)('is rejected after its collateral expired: $name', async (recorded) => {
    const { quote, collateral, later } = recorded
    await expect(verified(quote(), collateral(), later)).rejects.toThrow(/expired/)
  })

  it.each(RECORDED)('is rejected before its collateral was issued: $name', async (recorded) => {
    const before = new Date(recorded.at.getTime() - 30 * 24 * 60 * 60 * 1000)
    await expect(verified(recorded.quote(), recorded.collateral(), before)).rejects.toThrow(
      /is not valid yet/,
    )
  })

  it.each(RECORDED)(
    'is rejected with a bit flipped anywhere in the signed parts: $name',
    async (r) => {
      const quote = r.quote()
      const checked = await checkCollateral(r.collateral(), { kind: 'intel' }, r.at)
      const verdictOf = async (flip: string) =>
        verifyHardware(parseQuote(flip), checked, ['UpToDate'], r.at)
      const accepted: number[] = []
      // Stops before the certificates, because white space in PEM is insignificant.
      for (let at = 0; at < 636 + 64 + 64 + 6 + 384 + 64 + 34; at += 61)
        await verdictOf(flipped(quote, at)).then(
          () => accepted.push(at),
          (error: unknown) => expect(error).toBeInstanceOf(CheckFailedError),
        )
      expect(accepted).toEqual([])
    },
  )

  it.each(RECORDED)('is rejected with one field of its collateral changed: $name', async (r) => {
    const collateral = r.collateral()
    const mutants: Collateral[] = [
      { ...collateral, tcb_info: collateral.tcb_info.replace('"svn":', '"svn" :') },
      { ...collateral, qe_identity: collateral.qe_identity.replace('"isvsvn":', '"isvsvn": ') },
      { ...collateral, tcb_info_signature: flipped(collateral.tcb_info_signature, 9) },
      { ...collateral, qe_identity_signature: flipped(collateral.qe_identity_signature, 9) },
      { ...collateral, pck_crl: flipped(collateral.pck_crl, collateral.pck_crl.length / 2 - 1) },
      { ...collateral, pck_crl: '00' },
      { ...collateral, root_ca_crl: flipped(collateral.root_ca_crl, 60) },
      { ...collateral, root_ca_crl: collateral.pck_crl },
      { ...collateral, pck_crl_issuer_chain: collateral.tcb_info_issuer_chain },
      { ...collateral, tcb_info_issuer_chain: collateral.pck_crl_issuer_chain },
    ]
    for (const [index, mutant] of mutants.entries())
      await expect(verified(r.quote(), mutant, r.at), `mutant ${index}`).rejects.toThrow(
        CheckFailedError,
      )
  })

  it('has measurements that match its log: all four registers and the first events', async () => {
    const { quote, event_log, report_data } = json('quote-report.json') as Recorded
    const { collateral, at } = RECORDED[0]!
    const checked = await checkCollateral(collateral(), { kind: 'intel' }, at)
    const policy = { statuses: ['UpToDate'] } as const
    const machine = await verifyMachine({ quote, event_log }, checked, policy, at)
    expect(machine.quote.measurements.rtmr3).toMatch(/^0f787c38/)
    expect(Buffer.from(machine.quote.reportData).toString('hex')).toBe(report_data.padEnd(128, '0'))
    expect(machine.app).toMatchObject({
      appId: '3763bc34552cf3a27ff71ad5f7a90471562a1a2d',
      composeHash: expect.stringMatching(/^3763bc34552cf3a2/),
      instanceId: 'c3714eb66990eace777b4e664c16e09375dec4c9',
      keyProvider: expect.stringContaining('"local-sgx"'),
    })
  })

  it('has a compose file that matches the compose-hash event', () => {
    const { quote, event_log } = json('rtmr3-report.json') as Recorded
    const events = parseEventLog(event_log)
    checkReplay(events, parseQuote(quote))
    expect(measuredApp(events).composeHash).toBe(sha256(text('rtmr3-app-compose.json')))
  })
})
