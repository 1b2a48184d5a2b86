import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openApiDocument } from '../../../edge/http/openapi/document.ts'
import { DOCUMENT_PATHS, documentsOf } from '../../../edge/skill/documents.ts'
import { settingsOf } from '../../../edge/env.ts'
import { toApiError } from '../../../edge/http/failure.ts'
import { PreviewBusyError } from '../../../edge/triggers/preview/preview-chain-event.ts'
import { TriggerChainUnavailableError } from '../../../edge/triggers/chain-head.ts'
import { OriginUnavailableError } from '../../../edge/trust/origin-unavailable-error.ts'
import { approveAgentToken } from '../../../edge/identity/agent-tokens.ts'
import {
  refuseRequest,
  registerRequest,
  findAgentRequest,
} from '../../../edge/identity/agent-requests.ts'
import { approveRequest } from '../../../edge/identity/request-approval.ts'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { errorReason, type StructuredError } from '../../../shared/errors/api-error.ts'
import { AGENT_REQUEST_LIFETIME_MS, USER_CODE_ATTEMPTS } from '../../../shared/limits.ts'
import actionErrors from '../../../docs/actions.md?raw'
import clearing from '../../../edge/queue/queue-cancellation.ts?raw'
import verdicts from '../../../edge/queue/verdict.ts?raw'
import {
  createTrigger,
  db,
  edge,
  env,
  fire,
  type Owner,
  post,
  random,
  runOnce,
  script,
  slow,
  someOwner,
  webhook,
} from '../app.ts'

const read = async (path: string) => (await edge(path)).text()
const texts = new Map<string, string>()
for (const path of DOCUMENT_PATHS) texts.set(path, await read(path))

const guide = texts.get('/SKILL.md')!
const [, frontMatter = '', instructions = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(guide) ?? []
const references = [...texts].filter(([path]) => path.startsWith('/references/'))

/**
 * Upper bound on the tokens of any tokenizer: one per four letters of a word, and one per other character except single
 * spaces.
 */
const tokensAtMost = (text: string) =>
  (text.match(/[A-Za-z]{1,4}|\d{1,2}|\n+|[^\sA-Za-z\d]| {2,}/g) ?? []).length

describe('the agent guide follows the Agent Skills format', () => {
  const fields = parse(frontMatter) as Record<string, unknown>

  it('with only standard fields in its front matter', () => {
    const known = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']
    expect(Object.keys(fields).filter((name) => !known.includes(name))).toEqual([])
    expect(Object.values(fields.metadata as object).map((value) => typeof value)).toEqual([
      'string',
    ])
  })

  it('with a name of lowercase letters, digits and single hyphens', () => {
    expect(fields.name).toMatch(/^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/)
  })

  it('with a description in the third person of what it does and when to use it', () => {
    const description = fields.description as string
    expect(description.length).toBeLessThanOrEqual(1_024)
    expect(description).toMatch(/Use it when/)
    expect(description).not.toMatch(/\b(I|you|we|your|our)\b/i)
    expect((fields.compatibility as string).length).toBeLessThanOrEqual(500)
  })

  it('within 500 lines and 5,000 tokens of any tokenizer', () => {
    expect(instructions.split('\n').length).toBeLessThan(500)
    expect(tokensAtMost(instructions)).toBeLessThan(5_000)
  })

  it('with all references one level deep and no broken links', () => {
    const linked = [...instructions.matchAll(/\]\((references\/[^)#]+)/g)].map(
      ([, path]) => `/${path}`,
    )
    expect([...new Set(linked)].toSorted()).toEqual(references.map(([path]) => path).toSorted())
    for (const [path, text] of references) {
      const links = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, link]) => `/references/${link}`)
      expect([path, links.filter((link) => !texts.has(link))]).toEqual([path, []])
    }
  })

  it('with an existing heading for every anchor', () => {
    for (const [, path, name] of instructions.matchAll(/\]\((references\/[^)#]+)#([^)]+)\)/g)) {
      const headings = [...texts.get(`/${path}`)!.matchAll(/^#+ (.+)$/gm)]
      const names = headings.map(([, title]) => title!.toLowerCase().replaceAll(' ', '-'))
      expect(names).toContain(name)
    }
  })
})

describe('documents for agents', () => {
  it.each(DOCUMENT_PATHS)('%s is public text that any origin may read', async (path) => {
    const response = await edge(path)
    const type = { md: 'text/markdown; charset=utf-8', txt: 'text/plain; charset=utf-8' }
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type[path.split('.').at(-1) as 'md'] ?? 'application/json',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    })
  })

  it.each(DOCUMENT_PATHS)('%s is answered with 304 if the client has it', async (path) => {
    const etag = (await edge(path)).headers.get('etag')!
    for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
      const response = await edge(path, { headers: { 'if-none-match': known } })
      expect([response.status, await response.text()]).toEqual([304, ''])
      expect(response.headers.get('etag')).toBe(etag)
    }
    const other = await edge(path, { headers: { 'if-none-match': '"another"' } })
    expect(other.status).toBe(200)
  })

  it('HEAD returns the same headers and no body', async () => {
    const [head, get] = [await edge('/SKILL.md', { method: 'HEAD' }), await edge('/SKILL.md')]
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'))
  })

  it('tokens and cookies are ignored, and no cookie is set', async () => {
    const headers = { authorization: 'Bearer x', cookie: '__Host-svc=x' }
    const response = await edge('/SKILL.md', { headers })
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null])
  })

  it('placeholders are replaced by the URLs and chains of this deployment', async () => {
    expect(guide).toContain('TRIGGERS_URL=https://edge.test ')
    expect(guide).toContain(`BASE_URL=${env.ORIGIN_URL} `)
    expect(guide).toContain('`ethereum`, `base`, `arbitrum`, `bsc`')
    for (const [path, text] of texts) expect([path, text.match(/\{\{/)]).toEqual([path, null])
    const settings = { ...settingsOf(env), CHAINS: {}, PUBLIC_URL: 'https://other.test/' }
    const other = (await documentsOf(settings)).get('/SKILL.md')!.text
    expect(other).toContain('Supported chains: none.')
    expect(other).toContain('https://other.test/verify')
    expect(other).not.toContain('edge.test')
  })

  it('every path exists in the OpenAPI documents of the two services', () => {
    const patterns = [...Object.keys(openApiDocument('https://edge.test').paths), '/agent/tokens']
    const known = patterns.map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`))
    for (const [at, text] of texts) {
      const named = [
        ...text.matchAll(
          /(?:edge\.test|URL|[`" ])(\/(?:api|agent|webhook|verify)\b[^\s`"?:,;)]*)/g,
        ),
      ]
      const unknown = named
        .map(([, path]) => path!.replace(/\$\(.*|<\w+>|\$\w+|…/g, 'x').replace(/\.$/, ''))
        .filter((path) => path !== '/api' && !known.some((pattern) => pattern.test(path)))
      expect([at, unknown]).toEqual([at, []])
    }
  })
})

describe('links to the guide', () => {
  it('/llms.txt has a title, a summary, and lists of links under headings', () => {
    const [title, , summary, ...rest] = texts.get('/llms.txt')!.trimEnd().split('\n')
    expect(title).toMatch(/^# \S/)
    expect(summary).toMatch(/^> \S/)
    const lists = rest.slice(rest.findIndex((line) => line.startsWith('## ')))
    const odd = lists.filter(
      (line) => !/^(|## \S.*|- \[[^\]]+\]\(https:\/\/\S+\)(: .+)?)$/.test(line),
    )
    expect(odd).toEqual([])
  })

  it('/llms.txt has no broken links', async () => {
    const links = [...texts.get('/llms.txt')!.matchAll(/\]\((\S+)\)/g)].map(([, link]) => link!)
    expect(links.length).toBeGreaterThan(8)
    // The origin double serves no OpenAPI document.
    const ours = links.filter((link) => !link.includes('/core/v1/'))
    const answers = await Promise.all(ours.map(async (link) => [link, (await edge(link)).status]))
    expect(answers).toEqual(ours.map((link) => [link, 200]))
  })

  it('the skill index has its URL, description and SHA-256 digest', async () => {
    const bytes = new Uint8Array(await (await edge('/SKILL.md')).arrayBuffer())
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    const digest = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
    const { name, description } = parse(frontMatter) as Record<string, string>
    expect(JSON.parse(texts.get('/.well-known/agent-skills/index.json')!)).toEqual({
      $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
      skills: [
        {
          name,
          type: 'skill-md',
          description,
          url: 'https://edge.test/SKILL.md',
          digest: `sha256:${digest}`,
        },
      ],
    })
  })

  it('the home page links to all documents', async () => {
    const home = await edge('/')
    const targets = [...home.headers.get('link')!.matchAll(/<([^>]+)>/g)].map(([, path]) => path!)
    expect(targets).toContain('/SKILL.md')
    for (const path of targets) expect([path, (await edge(path)).status]).toEqual([path, 200])
    expect(await home.text()).toContain('href="/SKILL.md"')
  })
})

const owner: Owner = await someOwner()
const identity = { db, now: Date.now, random, settings: settingsOf(env) }

/** Returns a token that belongs to no account, and its challenge. */
async function newToken() {
  const token = encodeBase64url(random(48))
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return { token, challenge: encodeBase64url(new Uint8Array(hash)) }
}
const me = (token: string) => edge('/api/me', { headers: { authorization: `Bearer ${token}` } })
const send = (path: string, body: unknown, api: typeof edge = owner.api) => {
  const { init } = post(path, body)
  return api(path, init)
}
const disabled = () => createTrigger(owner, { enabled: false })
const failure = async (error: Error) => {
  const failed = toApiError(error)
  return Response.json(failed.toBody('https://docs.test'), { status: failed.status })
}

/** Requests that provoke each response in the table. */
const PROVOKED: Record<string, () => Promise<Response>> = {
  '400 bad_request': () => owner.api('/api/triggers', { method: 'POST', body: '{', headers: json }),
  '401 unauthorized': async () => me((await newToken()).token),
  '401 request_refused': async () => {
    const { token, challenge } = await newToken()
    const request = await registerRequest(identity, { challenge, label: 'refused' })
    await refuseRequest(identity, request!.id)
    return me(token)
  },
  '401 request_expired': async () => {
    const { token, challenge } = await newToken()
    const now = () => Date.now() - AGENT_REQUEST_LIFETIME_MS - 1
    await registerRequest({ ...identity, now }, { challenge, label: 'expired' })
    return me(token)
  },
  '401 request_locked': async () => {
    const { token, challenge } = await newToken()
    await registerRequest(identity, { challenge, label: 'locked' })
    const request = await findAgentRequest(identity, challenge)
    for (let attempt = 0; attempt < USER_CODE_ATTEMPTS; attempt++)
      await approveRequest(identity, request!, { code: 'WRONGC0D', userId: owner.id })
    return me(token)
  },
  '403 insufficient_scope': async () => {
    const { token, challenge } = await newToken()
    const scopes = ['triggers:read'] as const
    await approveAgentToken(identity, { challenge, userId: owner.id, label: null, scopes })
    const headers = { ...json, authorization: `Bearer ${token}` }
    return edge('/api/triggers', { method: 'POST', body: '{}', headers })
  },
  '404 not_found': () => owner.api('/api/triggers/nothing'),
  '405 method_not_allowed': () => owner.api('/api/triggers', { method: 'PUT' }),
  '409 challenge_taken': async () => {
    const body = { challenge: (await newToken()).challenge, label: 'twice' }
    await send('/agent/requests', body, edge)
    return send('/agent/requests', body, edge)
  },
  '409 run_not_queued': async () => {
    const { id } = await createTrigger(owner)
    const { id: run } = await runOnce(owner, await fire(id))
    return owner.api(`/api/runs/${run}/cancel`, { method: 'POST' })
  },
  '409 trigger_disabled': async () =>
    send(`/api/triggers/${(await disabled()).id}/test`, { params: {} }),
  '413 payload_too_large': async () => {
    const { id } = await createTrigger(owner)
    return edge(`/webhook/${id}`, { method: 'POST', body: 'x'.repeat(2 * 1024 * 1024 + 1) })
  },
  '415 unsupported_media_type': () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return owner.api('/api/triggers', { method: 'POST', body: '{}', headers })
  },
  '422 unprocessable_entity': () => send('/api/triggers', webhook({ other: 1 })),
  '422 chain_not_configured': () =>
    send('/api/triggers/preview', {
      kind: 'chain_event',
      config: {
        chain: 'polygon',
        contract_address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        event_signature: 'Transfer(address,address,uint256)',
      },
    }),
  '429 too_many_requests': async () => {
    const full = {
      max_queued_runs: 1,
      options: { concurrency: 1 },
      action_code: script(slow(20_000)),
    }
    const { id } = await createTrigger(owner, full)
    const answer = () => edge(`/webhook/${id}`, { method: 'POST', body: '{}' })
    let last = await answer()
    while (last.status === 202) last = await answer()
    await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
    return last
  },
  '500 internal_error': () => failure(new Error('nobody knows it')),
  '503 service_unavailable': () => failure(new OriginUnavailableError('it is', { isUnsent: true })),
  '503 chain_unavailable': () => failure(new TriggerChainUnavailableError('base')),
  '503 preview_busy': () => failure(new PreviewBusyError(1)),
  '503 trigger_disabled': async () =>
    edge(`/webhook/${(await disabled()).id}`, { method: 'POST', body: '{}' }),
}
const json = { 'content-type': 'application/json' }

describe('the table of errors', () => {
  const page = texts.get('/references/errors.md')!
  const [ofTheApi = '', ofRuns = ''] = page.split('## The `error` of a run')
  const rows = [...ofTheApi.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(
    ([, status, reason]) => `${status} ${reason}`,
  )

  it('has exactly the errors that are provoked here', () => {
    expect(rows.toSorted()).toEqual(Object.keys(PROVOKED).toSorted())
  })

  it.each(rows)('%s is a real response', async (row) => {
    const response = await PROVOKED[row]!()
    const { error, reason, ...rest } = await response.json<StructuredError>()
    expect(errorReason({ error, reason })).toBe(row.slice(4))
    expect(rest).toEqual({
      message: expect.stringMatching(/./),
      fix: expect.stringMatching(/./),
      docs_url: expect.any(String),
    })
    expect(`${response.status} ${row.slice(4)}`).toBe(row)
  })

  it('lists only existing run errors', () => {
    const cells = [...ofRuns.matchAll(/^\| (`.+?) \|/gm)].map(([, cell]) => cell!)
    const codes = cells.flatMap((cell) =>
      [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!),
    )
    expect(codes.length).toBeGreaterThan(12)
    const known = (code: string) =>
      actionErrors.includes(`\n| \`${code}\` |`) ||
      [clearing, verdicts].some((source) => source.includes(`'${code}: `))
    expect(codes.filter((code) => !known(code))).toEqual([])
  })
})
