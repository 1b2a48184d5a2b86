import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EvidenceBundle } from '../../../shared/attestation/evidence.ts'
import { type Policy, RULES } from '../../../shared/attestation/policy.ts'
import { EvidenceRefused, requireVerified } from '../../../shared/attestation/refused.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import { craftedMachine, craftedPin } from './crafted-machine.ts'
import { goodEvidence, NOW, pinnedPolicy, simulatedMachine } from './good-evidence.ts'

async function judged(change: Partial<Policy> = {}, bundle?: EvidenceBundle) {
  return verifyBundle(bundle ?? (await goodEvidence()), { ...pinnedPolicy(), ...change }, NOW)
}

describe('a policy', () => {
  it('takes the firmware that it names, and no other', async () => {
    const { measurements } = await judged()
    const pinned = await judged({ measurements: [measurements!] })
    expect(pinned.verdict).toBe('SIMULATED')
    expect(pinned.open.join()).not.toMatch('Which firmware')
    const other = { ...measurements!, rtmr1: 'ab'.repeat(48) }
    expect((await judged({ measurements: [other] })).rules[0]!.reason).toMatch('the firmware')
    expect((await judged({ measurements: [] })).verdict).toBe('FAILED')
  })

  it('takes the application that it names, and no other', async () => {
    const { appId, composeHash } = await judged()
    expect((await judged({ appId: `0x${appId}` })).verdict).toBe('SIMULATED')
    expect((await judged({ composeHashes: [composeHash!.toUpperCase()] })).verdict).toBe(
      'SIMULATED',
    )
    const [, otherApp] = (await judged({ appId: '00'.repeat(20) })).rules
    expect(otherApp!.reason).toMatch('which is not the accepted one')
    const [, otherHash] = (await judged({ composeHashes: [] })).rules
    expect(otherHash!.reason).toMatch('is none of the accepted ones')
  })

  it('takes a platform of the status that it names', async () => {
    const { rules } = await judged({ statuses: ['OutOfDate'] })
    expect(rules[0]!.reason).toMatch('status is UpToDate, which is not accepted')
  })
})

describe('evidence', () => {
  it('may have its files quoted by a replica, whose RTMR3 differs', async () => {
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

  it('says what the system measured, whatever the application measures after it', async () => {
    const later = [{ event: 'compose-hash', payload: Buffer.alloc(32, 9) }]
    const machine = craftedMachine({ events: (boot) => [...boot, ...later] })
    const bundle = await goodEvidence({ machine })
    const root = { kind: 'simulated', spkiSha256: craftedPin } as const
    const report = await judged({ root }, bundle)
    expect(report).toMatchObject({ verdict: 'SIMULATED', composeHash: bundle.info.compose_hash })
  })

  it('says for which rules nothing was there to judge, and what that leaves open', async () => {
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
  ])('has the account as %s writes it', async (_, account) => {
    const files = { 'acme-account.json': JSON.stringify(account) }
    const report = await judged({}, await goodEvidence({ files }))
    expect(report.rules[5]!.outcome).toBe('passed')
  })

  it('of a name that another authority may issue for says so', async () => {
    const bundle = await goodEvidence()
    const records = [...bundle.caa!.records, '0 issue "other.example"', '0 iodef "mailto:a@b"']
    const report = await judged({}, { ...bundle, caa: { ...bundle.caa!, records } })
    expect(report.open.at(-1)).toBe(
      'Certificates by "other.example", for any account: CAA lets it issue them too.',
    )
  })
})

describe('who needs verified evidence', () => {
  it('goes on where nothing failed', async () => {
    const report = await judged()
    expect(() => requireVerified(report, RULES)).not.toThrow()
  })

  it('is told the rule and the reason', async () => {
    const failed = await judged({ root: { kind: 'intel' } })
    expect(() => requireVerified(failed, [])).toThrow(EvidenceRefused)
    expect(() => requireVerified(failed, [])).toThrow(
      expect.objectContaining({ rule: 'quote', reason: expect.stringMatching("Intel's is asked") }),
    )
  })

  it('is refused where a rule that it needs had nothing to judge', async () => {
    const { caa: _, ...rest } = await goodEvidence()
    const without = await judged({}, rest)
    expect(() => requireVerified(without, ['quote'])).not.toThrow()
    expect(() => requireVerified(without, ['CAA'])).toThrow('no CAA records were asked for')
  })
})

describe('hostile evidence', () => {
  it('never throws, whatever text stands in whatever field', async () => {
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
        // Neither the address nor the date of the fetch, nor what describes the machine to people, is judged.
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
  ])('is refused for %s that is too long', async (_, lengthen) => {
    const bundle = await goodEvidence()
    lengthen(bundle)
    const { rules } = await judged({}, bundle)
    const failed = rules.filter(({ outcome }) => outcome === 'failed').map(({ reason }) => reason)
    expect(failed.join()).toMatch(/than any/)
  })
})

type Tree = { [name: string]: Tree | string }

/** Where texts are. */
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
