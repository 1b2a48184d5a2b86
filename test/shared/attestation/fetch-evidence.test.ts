import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { EvidenceBundle } from '../../../shared/attestation/evidence.ts'
import { fetchEvidence } from '../../../shared/attestation/fetch-evidence.ts'
import { verifyBundle } from '../../../shared/attestation/verify.ts'
import {
  ATTESTATION_MAX_BYTES,
  EVIDENCE_BUNDLE_MAX_BYTES,
  EVIDENCE_FILE_MAX_BYTES,
} from '../../../shared/limits.ts'
import {
  answerTo,
  bundleAnswerTo,
  goodEvidence,
  NOW,
  pinnedPolicy,
  simulatedMachine,
} from './good-evidence.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>
/** Responses by path, without the query. */
type Answers = Record<string, Answer>

const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))

/** Starts a local server with evidence that records the requested URLs. */
async function serving(answers: Answers) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    const answer = answers[new URL(request.url!, 'http://host').pathname]
    if (answer) void answer(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { baseUrl: `http://127.0.0.1:${port}/`, asked }
}

const text =
  (body: string): Answer =>
  (_, response) =>
    void response.end(body)
const json = (value: unknown) => text(JSON.stringify(value))

const machine = simulatedMachine()

/** Response of `/attestation/bundle`, including those to nonces. */
function bundleOf({ attestation, info, files, collateral }: EvidenceBundle): Answer {
  return async (request, response) => {
    const nonce = new URL(request.url!, 'http://host').searchParams.get('nonce')
    const fresh =
      nonce && (await machine.quote(await bundleAnswerTo(nonce, files['sha256sum.txt']!)))
    const bundle = { attestation, ...(fresh && { fresh }), info, files, collateral }
    response.end(JSON.stringify(bundle))
  }
}

/** Responses of an origin without `/attestation/bundle`, including those to nonces. */
function answersOf({ attestation, info, files, collateral }: EvidenceBundle): Answers {
  const links = Object.keys(files).map((name) => `<a href="${name}">${name}</a>`)
  const each = Object.entries(files).map(([name, body]) => [`/evidences/${name}`, text(body)])
  return {
    '/attestation': async (request, response) => {
      const nonce = new URL(request.url!, 'http://host').searchParams.get('nonce')
      const answer = nonce ? await machine.quote(await answerTo(nonce)) : attestation
      response.end(JSON.stringify(answer))
    },
    '/info': json(info),
    '/evidences/': text(links.join('\n')),
    '/evidences/collateral.json': json(collateral),
    ...(Object.fromEntries(each) as Answers),
  }
}

const now = () => NOW.getTime()
const fetched = (baseUrl: string, more: object = {}) =>
  fetchEvidence({ baseUrl, fetch, now, ...more })

describe('fetching evidence in one response', () => {
  it('makes a single request, and the fresh quote covers the files', async () => {
    const good = await goodEvidence({ machine })
    const { baseUrl, asked } = await serving({ '/attestation/bundle': bundleOf(good) })
    const nonce = Buffer.alloc(32, 8)
    const bundle = await fetched(baseUrl, { nonce })
    const report = await verifyBundle(bundle, pinnedPolicy(), NOW)
    expect(report.verdict).toBe('SIMULATED')
    expect(report.rules[0]!.reason).toMatch('and the checksums of the evidence files')
    expect(report.open.join()).not.toMatch('Whether the evidence files are current')
    expect(asked).toEqual([`/attestation/bundle?nonce=${nonce.toString('hex')}`])
  })

  it('needs collateral of the caller if the origin has none', async () => {
    const good = await goodEvidence({ machine })
    const without = { ...good, collateral: undefined } as unknown as EvidenceBundle
    const { baseUrl } = await serving({ '/attestation/bundle': bundleOf(without) })
    await expect(fetched(baseUrl)).rejects.toThrow('contains no collateral')
    const bundle = await fetched(baseUrl, { collateral: good.collateral })
    expect((await verifyBundle(bundle, pinnedPolicy(), NOW)).verdict).toBe('SIMULATED')
  })

  it('does not try the single files after any failure other than 404', async () => {
    const answers = answersOf(await goodEvidence({ machine }))
    const refuse: Answer = (_, response) => void response.writeHead(429).end()
    const { baseUrl, asked } = await serving({ ...answers, '/attestation/bundle': refuse })
    await expect(fetched(baseUrl)).rejects.toThrow('/attestation/bundle responded with 429')
    expect(asked).toEqual(['/attestation/bundle'])
  })
})

describe('fetching evidence file by file, from an origin of the previous version', () => {
  it('returns evidence that verifies, with the answer to a nonce', async () => {
    const { baseUrl } = await serving(answersOf(await goodEvidence({ machine })))
    const bundle = await fetched(baseUrl, { nonce: Buffer.alloc(32, 8) })
    const report = await verifyBundle(bundle, pinnedPolicy(), NOW)
    expect(report.rules.map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(4).fill('passed'),
      ...Array<string>(3).fill('not_applicable'),
    ])
    expect(bundle).toMatchObject({ base_url: baseUrl, fetched_at: NOW.toISOString() })
    expect(report.rules[0]!.reason).toMatch(/the fresh quote contains the nonce$/)
    expect(report.open.join()).toMatch('Whether the evidence files are current')
  })

  it('fetches the files again if the set was renewed in the meantime', async () => {
    const old = await goodEvidence({ machine, files: { 'acme-account.json': '{"uri":"a"}' } })
    const renewed = await goodEvidence({ machine })
    const answers = answersOf(renewed)
    const sums = [old, renewed].map(({ files }) => files['sha256sum.txt']!)
    answers['/evidences/sha256sum.txt'] = (_, response) => void response.end(sums.shift())
    const { baseUrl } = await serving(answers)
    const { files } = await fetched(baseUrl)
    expect(files['sha256sum.txt']).toBe(renewed.files['sha256sum.txt'])
  })

  it('fetches at most twice, and leaves mismatches to the rules', async () => {
    const good = await goodEvidence({ machine })
    const files = { ...good.files, 'acme-account.json': '{}' }
    const { baseUrl, asked } = await serving(answersOf({ ...good, files }))
    const report = await verifyBundle(await fetched(baseUrl), pinnedPolicy(), NOW)
    expect(report.rules[3]!.reason).toMatch('acme-account.json does not match')
    expect(asked.filter((path) => path === '/evidences/quote.json')).toHaveLength(2)
  })

  it('fetches a file that only the listing contains, so that it is rejected', async () => {
    const good = await goodEvidence({ machine })
    const files = { ...good.files, 'cert-more.example.pem': 'more' }
    const { baseUrl } = await serving(answersOf({ ...good, files }))
    const report = await verifyBundle(await fetched(baseUrl), pinnedPolicy(), NOW)
    expect(report.rules[3]!.reason).toMatch('"cert-more.example.pem" is not in sha256sum.txt')
  })

  it('requests no path invented by a checksums file', async () => {
    const good = await goodEvidence({ machine })
    const line = `${'0'.repeat(64)}  ../info?x=1\n`
    const files = { ...good.files, 'sha256sum.txt': good.files['sha256sum.txt']! + line }
    const { baseUrl, asked } = await serving(answersOf({ ...good, files }))
    const report = await verifyBundle(await fetched(baseUrl), pinnedPolicy(), NOW)
    expect(report.rules[3]!.reason).toMatch('has an invalid line')
    expect(asked.join()).not.toMatch('x=1')
  })

  it('uses the given collateral instead of the served one', async () => {
    const good = await goodEvidence({ machine })
    const { '/evidences/collateral.json': _, ...answers } = answersOf(good)
    const { baseUrl } = await serving(answers)
    await expect(fetched(baseUrl)).rejects.toThrow('/evidences/collateral.json responded with 404')
    const bundle = await fetched(baseUrl, { collateral: good.collateral })
    expect((await verifyBundle(bundle, pinnedPolicy(), NOW)).verdict).toBe('SIMULATED')
  })

  const redirect: Answer = (_, response) =>
    void response.writeHead(302, { location: '/evidences/' }).end()
  const endless: Answer = (_, response) => {
    const send = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', send)
    }
    send()
  }
  it.each<[string, string, Answer, string]>([
    ['a redirect', '/info', redirect, '/info responded with 302'],
    [
      'a redirect of everything',
      '/attestation/bundle',
      redirect,
      '/attestation/bundle responded with 302',
    ],
    [
      'a bundle without an end',
      '/attestation/bundle',
      endless,
      `is larger than ${EVIDENCE_BUNDLE_MAX_BYTES} bytes`,
    ],
    ['a bundle of another shape', '/attestation/bundle', json({ files: 1 }), 'attestation'],
    [
      'another status',
      '/info',
      (_, response) => void response.writeHead(503).end(),
      'responded with 503',
    ],
    [
      'an answer without an end',
      '/attestation',
      endless,
      `is larger than ${ATTESTATION_MAX_BYTES} bytes`,
    ],
    [
      'a file without an end',
      '/evidences/acme-account.json',
      endless,
      `is larger than ${EVIDENCE_FILE_MAX_BYTES} bytes`,
    ],
    ['what is not JSON', '/attestation', text('no'), '/attestation is not JSON'],
    ['JSON of another shape', '/info', json({ app_id: 1 }), '/info: app_id'],
    [
      'what is not text',
      '/evidences/quote.json',
      (_, r) => void r.end(Buffer.of(0xff)),
      'quote.json:',
    ],
    ['a connection that is cut', '/info', (_, response) => void response.destroy(), '/info:'],
  ])('fails on %s', async (_, path, answer, reason) => {
    const answers = answersOf(await goodEvidence({ machine }))
    const { baseUrl } = await serving({ ...answers, [path]: answer })
    await expect(fetched(baseUrl)).rejects.toThrow(
      expect.objectContaining({
        name: 'EvidenceFetchError',
        message: expect.stringContaining(reason),
      }),
    )
  })

  it('stops when the caller aborts', async () => {
    const answers = answersOf(await goodEvidence({ machine }))
    const ends = new AbortController()
    const silent: Answer = () => ends.abort()
    const { baseUrl } = await serving({ ...answers, '/info': silent })
    await expect(fetched(baseUrl, { signal: ends.signal })).rejects.toThrow('is unavailable')
  })
})
