import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EvidenceBundle } from '../../../shared/attestation/evidence.ts'
import { ALL_PASSED, outcomes, reasonOf, svc } from './command-line.ts'
import { startWorld, type World } from './surroundings.ts'

let world: World
let good: EvidenceBundle
beforeAll(async () => {
  world = await startWorld()
  await world.verify(world.host.url, '--save', 'bundle.json')
  good = JSON.parse(readFileSync(join(world.folder, 'bundle.json'), 'utf8'))
})
afterAll(() => world.close())

async function judged(change: (bundle: EvidenceBundle) => void, ...words: string[]) {
  const bundle = structuredClone(good)
  change(bundle)
  writeFileSync(join(world.folder, 'changed.json'), JSON.stringify(bundle))
  return svc(['verify', '--offline', 'changed.json', ...words], { folder: world.folder })
}

/** Changes one character in the middle of a text. */
function flipped(text: string): string {
  const at = text.length >> 1
  return `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
}

describe('a saved bundle', () => {
  it('is verified again offline, and lists what was not checked now', async () => {
    const asked = world.host.received.length
    const ran = await judged(() => {})
    expect(outcomes(ran)).toEqual(ALL_PASSED)
    expect(ran.out).toMatch(/Whether .* still serves this certificate.* was not checked/)
    expect(ran.code).toBe(3)
    expect(world.host.received.length).toBe(asked)
  })

  it.each<[string, (bundle: EvidenceBundle) => void]>([
    ['quote', ({ attestation }) => (attestation.quote = flipped(attestation.quote))],
    ['compose hash', ({ info }) => (info.compose_hash = 'ab'.repeat(32))],
    [
      'images',
      ({ info: { tcb_info } }) =>
        (tcb_info.app_compose = tcb_info.app_compose.replace(/@sha256:\w+/, ':latest')),
    ],
    ['evidence files', ({ files }) => (files['channel-key.json'] = '{}')],
    ['certificate', (bundle) => (bundle.served_certificate = { der_base64: 'AAAA' })],
    ['CAA', ({ caa }) => (caa!.records = ['0 issue ";"'])],
    ['governance', ({ governance }) => (governance!.allowed = false)],
  ])('fails if the rule "%s" is broken', async (rule, change) => {
    const ran = await judged(change)
    expect(outcomes(ran)[rule]).toBe('failed')
    expect(ran.out).toMatch(/^FAILED: /m)
    expect(ran.code).toBe(1)
  })

  it.each(['caa', 'governance'] as const)('fails if it was saved without %s', async (part) => {
    const ran = await judged((bundle) => delete bundle[part])
    expect(reasonOf(ran, part === 'caa' ? 'CAA' : part)).toContain('saved without')
    expect(ran.code).toBe(1)
  })

  it('reports the certificate as not applicable if none was saved', async () => {
    const ran = await judged((bundle) => delete bundle.served_certificate)
    expect(outcomes(ran)).toEqual({ ...ALL_PASSED, certificate: 'not applicable' })
    expect(reasonOf(ran, 'certificate')).toContain('saved without')
  })

  it('is verified at the time it was saved, which must not be in the future', async () => {
    const later = await judged((bundle) => (bundle.fetched_at = '2048-01-01T00:00:00Z'))
    expect(later.out).toContain('in the future')
    expect(later.code).toBe(1)
    const expired = await judged((bundle) => (bundle.fetched_at = '2020-01-01T00:00:00Z'))
    expect(outcomes(expired)).toMatchObject({ quote: 'failed' })
    const never = await judged((bundle) => (bundle.fetched_at = 'yesterday'))
    expect(never.code).toBe(1)
  })

  it.each(['', '[]', '{"version":2}', '{"version":1,"files":7}'])(
    'has no evidence if the file is %j',
    async (text) => {
      writeFileSync(join(world.folder, 'odd.json'), text)
      const ran = await svc(['verify', '--offline', 'odd.json'], { folder: world.folder })
      expect(ran.out).toContain('FAILED: no evidence')
      expect(ran.code).toBe(1)
    },
  )
})
