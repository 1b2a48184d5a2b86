import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EvidenceBundle } from '../../../shared/attestation/evidence.ts'
import { type Policy, RULES } from '../../../shared/attestation/policy.ts'
import {
  EvidenceRejectedError,
  requireVerified,
} from '../../../shared/attestation/require-verified.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import { craftedMachine, craftedPin } from './crafted-machine.ts'
import { goodEvidence, NOW, pinnedPolicy, simulatedMachine } from './good-evidence.ts'

async function judged(change: Partial<Policy> = {}, bundle?: EvidenceBundle) {
  return verifyBundle(bundle ?? (await goodEvidence()), { ...pinnedPolicy(), ...change }, NOW)
}

describe('a policy', () => {
  it('accepts only the firmware it names', async () => {
    const { measurements } = await judged()
    const pinned = await judged({ measurements: [measurements!] })
    expect(pinned.verdict).toBe('SIMULATED')
    expect(pinned.open.join()).not.toMatch('Which firmware')
    const other = { ...measurements!, rtmr1: 'ab'.repeat(48) }
    expect((await judged({ measurements: [other] })).rules[0]!.reason).toMatch('the firmware')
    expect((await judged({ measurements: [] })).verdict).toBe('FAILED')
  })

  it('accepts only the application it names', async () => {
    const { appId, composeHash } = await judged()
    expect((await judged({ appId: `0x${appId}` })).verdict).toBe('SIMULATED')
    expect((await judged({ composeHashes: [composeHash!.toUpperCase()] })).verdict).toBe(
      'SIMULATED',
    )
    const [, otherApp] = (await judged({ appId: '00'.repeat(20) })).rules
    expect(otherApp!.reason).toMatch('which is not accepted')
    const [, otherHash] = (await judged({ composeHashes: [] })).rules
    expect(otherHash!.reason).toMatch('is not accepted')
  })

  it('accepts only platforms with the statuses it names', async () => {
    const { rules } = await judged({ statuses: ['OutOfDate'] })
    expect(rules[0]!.reason).toMatch('status is UpToDate, which is not accepted')
  })
})

describe('evidence', () => {
  it('can be quoted by a replica with another RTMR3', async () => {
    const machine = craftedMachine()
    const replica = craftedMachine({
      events: (boot) =>
        boot.map((event) =>
          event.event === 'instance-id' ? { ...event, payload: Buffer.alloc(20, 5) } : event,
        ),
    })
    const bundle = await goodEvidence({ machine, quoting: replica })
    const root = { kind: 'simulated', spkiSha256: craftedPin } as const
    expect((await judged({ root }, bundle)).verdict).toBe('SIMULATED')
  })

  it('reports the measurements of the system, regardless of later ones by the application', async () => {
    const later = [{ event: 'compose-hash', payload: Buffer.alloc(32, 9) }]
    const machine = craftedMachine({ events: (boot) => [...boot, ...later] })
    const bundle = await goodEvidence({ machine })
    const root = { kind: 'simulated', spkiSha256: craftedPin } as const
    const report = await judged({ root }, bundle)
    expect(report).toMatchObject({ verdict: 'SIMULATED', composeHash: bundle.info.compose_hash })
  })

  it('reports rules without input as not applicable, and what that leaves open', async () => {
    const { served_certificate: _, caa: __, governance: ___, ...rest } = await goodEvidence()
    const report = await judged({}, rest)
    expect(report.rules.slice(4).map(({ outcome }) => outcome)).toEqual(
      Array(3).fill('not_applicable'),
    )
    expect(report.verdict).toBe('SIMULATED')
    expect(report.open.slice(-3)).toEqual([
      expect.stringMatching('TLS'),
      expect.stringMatching('CAA'),
      expect.stringMatching('governance'),
    ])
  })

  it.each([
    ['certbot', { uri: 'https://ca.example/acme/acct/1' }],
    ['this service', { account_uri: 'https://ca.example/acme/acct/1' }],
    ['lego', { registration: { accountURL: 'https://ca.example/acme/acct/1' } }],
    ['an older lego', { registration: { uri: 'https://ca.example/acme/acct/1' } }],
  ])('reads the account as written by %s', async (_, account) => {
    const files = { 'acme-account.json': JSON.stringify(account) }
    const report = await judged({}, await goodEvidence({ files }))
    expect(report.rules[5]!.outcome).toBe('passed')
  })

  it('reports other authorities that may issue for a name', async () => {
    const bundle = await goodEvidence()
    const records = [...bundle.caa!.records, '0 issue "other.example"', '0 iodef "mailto:a@b"']
    const report = await judged({}, { ...bundle, caa: { ...bundle.caa!, records } })
    expect(report.open.at(-1)).toBe(
      'Certificates by "other.example", for any account: CAA also allows it to issue them.',
    )
  })

  it('reports that any authority may issue if CAA restricts only wildcards', async () => {
    const bundle = await goodEvidence()
    const records = bundle.caa!.records.map((record) => record.replace(' issue ', ' issuewild '))
    expect(records).not.toEqual(bundle.caa!.records)
    const report = await judged({}, { ...bundle, caa: { ...bundle.caa!, records } })
    expect(report.rules[5]!.outcome).toBe('passed')
    expect(report.open.at(-1)).toMatch(/^Certificates by any authority:/)
  })
})

describe('requireVerified', () => {
  it('returns if nothing failed', async () => {
    const report = await judged()
    expect(() => requireVerified(report, RULES)).not.toThrow()
  })

  it('throws with the rule and the reason', async () => {
    const failed = await judged({ root: { kind: 'intel' } })
    expect(() => requireVerified(failed, [])).toThrow(EvidenceRejectedError)
    expect(() => requireVerified(failed, [])).toThrow(
      expect.objectContaining({
        rule: 'quote',
        reason: expect.stringMatching("Intel's is required"),
      }),
    )
  })

  it('throws if a required rule had no input', async () => {
    const { caa: _, ...rest } = await goodEvidence()
    const without = await judged({}, rest)
    expect(() => requireVerified(without, ['quote'])).not.toThrow()
    expect(() => requireVerified(without, ['CAA'])).toThrow('CAA records were not requested')
  })
})

describe('hostile evidence', () => {
  it('never throws, whatever text any field contains', async () => {
    const good = await goodEvidence({ machine: simulatedMachine() })
    const paths = pathsOf(good)
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('', '0x', '[]', '{}', 'null', '\n'),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), text, async (path, value) => {
        const mutant = structuredClone(good)
        put(mutant, path, value)
        const { rules, verdict } = await verifyBundle(mutant, pinnedPolicy(), NOW)
        expect(rules).toHaveLength(7)
        // URL and date of the fetch, and fields that only describe the machine, are not checked.
        const isJudged = !/base_url|fetched_at|vm_config|host|report_data$/.test(path.join('.'))
        if (isJudged) expect(verdict).toBe('FAILED')
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    ['a quote', (b: EvidenceBundle) => (b.attestation.quote = 'ab'.repeat(1_000_000))],
    ['a log', (b: EvidenceBundle) => (b.attestation.event_log = ' '.repeat(2_000_000))],
    [
      'a compose text',
      (b: EvidenceBundle) => (b.info.tcb_info.app_compose = ' '.repeat(2_000_000)),
    ],
    ['a file', (b: EvidenceBundle) => (b.files['sha256sum.txt'] = ' '.repeat(2_000_000))],
    ['a collateral', (b: EvidenceBundle) => (b.collateral.pck_crl = '00'.repeat(2_000_000))],
    ['a CAA record', (b: EvidenceBundle) => (b.caa!.records = [' '.repeat(2_000_000)])],
  ])('is rejected if %s is too long', async (_, lengthen) => {
    const bundle = await goodEvidence()
    lengthen(bundle)
    const { rules } = await judged({}, bundle)
    const failed = rules.filter(({ outcome }) => outcome === 'failed').map(({ reason }) => reason)
    expect(failed.join()).toMatch(/ too (long|many)/)
  })
})

type Tree = { [name: string]: Tree | string }

/** Paths of all strings in a value. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value === 'string') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))
}

function put(tree: unknown, path: string[], value: string): void {
  const last = path.at(-1)!
  const parent = path.slice(0, -1).reduce((at, name) => at[name] as Tree, tree as Tree)
  parent[last] = value
}
