import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNameServer } from '../../../origin/stack/name-server.ts'
import { printable } from '../../../shared/cli/terminal.ts'
import { hostVerdict } from '../../../shared/cli/verify/evaluate-evidence.ts'
import { startEvidenceHost } from '../../doubles/evidence-host.ts'
import { ALL_PASSED, outcomes, reasonOf, svc } from './command-line.ts'
import { startWorld, type World } from './surroundings.ts'

let world: World
const closing: { close(): Promise<void> }[] = []
beforeAll(async () => {
  world = await startWorld()
})
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close()
})
afterAll(() => world.close())

/** Starts another host with this machine's evidence. @returns its URL */
async function host(options: Parameters<typeof startEvidenceHost>[1]): Promise<string> {
  const started = await startEvidenceHost(world.machine, options)
  closing.push(started)
  return started.url
}

async function names(domain: string, accountUri: string): Promise<string> {
  const started = await startNameServer(domain, accountUri)
  closing.push(started)
  return started.address
}

const BUNDLE = '/attestation/bundle'

describe('a rule that could not be checked', () => {
  it('fails with a hint: the chain without --rpc-url', async () => {
    const words = world.options.filter((word) => word !== '--rpc-url' && word !== world.node.url)
    const ran = await svc(['verify', world.host.url, ...words], { folder: world.folder })
    expect(outcomes(ran)).toEqual({ ...ALL_PASSED, governance: 'failed' })
    expect(reasonOf(ran, 'governance')).toContain('--rpc-url')
    expect(ran.code).toBe(1)
  })

  it.each([
    ['nobody is', () => 'http://127.0.0.1:1'],
    ['something else is', () => world.host.url],
  ])('fails: a chain node URL at which %s', async (_, url) => {
    const ran = await world.verify(world.host.url, '--rpc-url', url())
    expect(reasonOf(ran, 'governance')).toContain('does not respond')
    expect(ran.code).toBe(1)
  })

  it('fails: a chain without the contract', async () => {
    const { address } = world.chain
    world.chain.address = '0xnowhere'
    const ran = await world.verify(world.host.url)
    world.chain.address = address
    expect(reasonOf(ran, 'governance')).toContain('no contract')
    expect(ran.code).toBe(1)
  })

  it('fails: a name server that refuses, which does not mean "no records"', async () => {
    const server = await names('elsewhere.example', 'https://ca.example/acme/acct/1')
    const ran = await world.verify(world.host.url, '--dns-server', server)
    expect(outcomes(ran)).toEqual({ ...ALL_PASSED, CAA: 'failed' })
    expect(reasonOf(ran, 'CAA')).toContain('EREFUSED')
    expect(ran.code).toBe(1)
  })
})

describe('verification fails for', () => {
  it('a machine with a withdrawn compose hash', async () => {
    const { allowed } = world.chain
    world.chain.allowed = []
    const ran = await world.verify(world.host.url)
    world.chain.allowed = allowed
    expect(outcomes(ran)).toEqual({ ...ALL_PASSED, governance: 'failed' })
    expect(ran.code).toBe(1)
  })

  it('a machine with certificates that another account can obtain', async () => {
    const server = await names('localhost', 'https://ca.example/acme/acct/666')
    const ran = await world.verify(world.host.url, '--dns-server', server)
    expect(outcomes(ran)).toEqual({ ...ALL_PASSED, CAA: 'failed' })
    expect(ran.code).toBe(1)
  })

  it('a man in the middle with a trusted certificate of the same name', async () => {
    const certificate = await world.authority.issue({ names: ['localhost'] })
    const ran = await world.verify(await host({ certificate }))
    expect(outcomes(ran)).toEqual({ ...ALL_PASSED, certificate: 'failed' })
    expect(ran.code).toBe(1)
  })

  it('a man in the middle that claims to be an edge', async () => {
    const certificate = await world.authority.issue({ names: ['localhost'] })
    const middle = await host({
      certificate,
      instead: (_, response) => {
        response.setHeader('x-svc-edge', '1')
        return undefined
      },
    })
    expect(outcomes(await world.verify(middle))).toMatchObject({ certificate: 'failed' })
  })
})

describe('a host behind a TLS-terminating edge', () => {
  it('is recognized by its name, which the certificate of the evidence lacks', async () => {
    const certificate = await world.authority.issue({ names: ['127.0.0.1'] })
    const edge = (await host({ certificate })).replace('localhost', '127.0.0.1')
    const ran = await world.verify(edge)
    expect(outcomes(ran)).toEqual({ ...ALL_PASSED, certificate: 'not applicable' })
    expect(reasonOf(ran, 'certificate')).toContain('verify https://localhost')
    expect(ran.code).toBe(3)
  })

  it('is never HARDWARE: real evidence under another name fails', () => {
    const rules = (['quote', 'certificate'] as const).map((name, at) => ({
      rule: at + 1,
      name,
      outcome: name === 'quote' ? ('passed' as const) : ('not_applicable' as const),
      reason: '',
    }))
    expect(hostVerdict('HARDWARE', rules)).toBe('FAILED')
    expect(hostVerdict('SIMULATED', rules)).toBe('SIMULATED')
    expect(hostVerdict('HARDWARE', rules.slice(0, 1))).toBe('HARDWARE')
  })
})

describe('a host of the previous version, which has no /attestation/bundle', () => {
  it('passes all rules, and the report says what remains open', async () => {
    const url = await host({
      instead: (path, response) => {
        if (!path.startsWith(BUNDLE)) return undefined
        response.writeHead(404).end()
        return 'answered'
      },
    })
    const ran = await world.verify(url)
    expect(outcomes(ran)).toEqual(ALL_PASSED)
    expect(ran.out).toContain('Whether the evidence files are current')
    expect((await world.verify(world.host.url)).out).not.toContain('the evidence files are current')
  })
})

describe('a hostile host', () => {
  it('is not followed if it redirects', async () => {
    const url = await host({
      instead: (_, response) => {
        response.writeHead(302, { location: world.host.url }).end()
        return 'answered'
      },
    })
    const ran = await world.verify(url)
    expect(ran.out).toMatch(/FAILED: no evidence: .*302/)
    expect(ran.code).toBe(1)
  })

  it('is abandoned if its response never ends', async () => {
    const url = await host({
      instead: (path, response) => {
        if (!path.startsWith(BUNDLE)) return undefined
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, ' ')));
          if (!response.destroyed) response.once('drain', more)
        }
        more()
        return 'answered'
      },
    })
    const ran = await world.verify(url)
    expect(ran.out).toMatch(/FAILED: no evidence: .*\/attestation\/bundle is larger than \d+ bytes/)
    expect(ran.code).toBe(1)
  })

  it('is abandoned if it does not respond', async () => {
    const url = await host({
      instead: (path) => (path.startsWith('/attestation') ? 'answered' : undefined),
    })
    const ran = await world.verify(url, '--timeout', '2')
    expect(ran.out).toMatch(/^FAILED: no evidence: /m)
    expect(ran.code).toBe(1)
  })

  it.each([
    ['HTML', '<!doctype html><p>PASSED'],
    ['JSON of another shape', '{"quote":1}'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00])],
  ])('has no evidence if it answers with %s', async (_, body) => {
    const url = await host({
      instead: (path, response) => {
        if (!path.startsWith(BUNDLE)) return undefined
        response.end(body)
        return 'answered'
      },
    })
    const ran = await world.verify(url, '--json')
    expect(JSON.parse(ran.out)).toMatchObject({
      verdict: 'FAILED',
      reason: expect.stringMatching(/./),
    })
    expect(ran.code).toBe(1)
  })

  it('is rejected if its CA is unknown, with a hint', async () => {
    const ran = await svc(['verify', world.host.url])
    expect(ran.out).toMatch(/FAILED: no evidence: .*not trusted.*--ca/)
    expect(ran.code).toBe(1)
  })

  it('terminal injection: cannot overwrite the verdict', () => {
    const shown = printable('\u001b[2K\rHARDWARE\u202e\u2028\u0085')
    expect(shown).toBe('?[2K?HARDWARE???')
  })
})
