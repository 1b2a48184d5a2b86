import { runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import { settingsOf } from '../../../edge/env.ts'
import { ChainNode } from '../../doubles/chain-node/chain-node.ts'
import { fetchOf } from '../../doubles/chain-node/fetch-of.ts'
import { ScriptedChain } from '../../doubles/chain-node/scripted-chain.ts'
import { edge, env } from '../app.ts'
import { isInert, MARKUPS } from './markup.ts'
import { FROM_US, Person, textOf } from './person.ts'
import { fieldError, formsOf } from './typed-forms.ts'

const send = globalThis.fetch
afterEach(() => void vi.restoreAllMocks())

const person = await Person.signedIn()
const { submitNew } = formsOf(person)

describe('checking a form without a script', () => {
  it('shows the next ticks and creates nothing', async () => {
    const who = await Person.signedIn()
    const page = await submitNew('schedule', { do: 'check', cron: '0 9 * * *', name: 'x' }, who)
    expect(page.status).toBe(200)
    expect(page.text.match(/<time datetime="[^"]*T09:00:00Z">/g)).toHaveLength(5)
    expect(textOf(page.text)).toContain('at least a day apart')
    expect(await (await who.owner.api('/api/triggers')).json()).toEqual([])
  })

  it('reports errors', async () => {
    const page = await submitNew('schedule', { do: 'check', cron: '61 * * * *' })
    expect(fieldError(page, 'cron')).toContain('out of range')
  })
})

describe('checking while the user types', () => {
  const token = async (who = person) => {
    const { text } = await who.get('/triggers/new?kind=schedule')
    return /data-check-csrf="([^"]*)"/.exec(text)![1]!
  }
  const check = async (kind: string, fields: object, who = person) =>
    who.ask('/triggers/preview', { csrf: await token(who), kind, fields })

  it('returns the next ticks of a cron expression, or its error', async () => {
    const right = JSON.parse((await check('schedule', { cron: '*/5 * * * *' })).text)
    expect(right.preview).toMatchObject({ min_interval_s: 300 })
    expect(right.preview.next).toHaveLength(5)
    const wrong = await check('schedule', { cron: '* * *' })
    expect([wrong.status, JSON.parse(wrong.text)]).toEqual([
      200,
      { problems: { cron: expect.stringMatching(/^Expected 5 fields/) } },
    ])
  })

  it('CSRF: answers only pages of this site with the token of the session', async () => {
    const csrf = await token()
    const body = { csrf, kind: 'schedule', fields: { cron: '* * * * *' } }
    const asked = (headers: Record<string, string>) =>
      person.ask('/triggers/preview', body, headers)
    expect((await asked({ origin: 'https://evil.test' })).status).toBe(403)
    expect((await asked({ ...FROM_US, 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await asked({})).status).toBe(403)
    const other = await Person.signedIn()
    expect((await other.ask('/triggers/preview', body)).status).toBe(403)
    const form = await person.post('/triggers/preview', { csrf })
    expect(form.status).toBe(415)
    const init = { method: 'POST', headers: { ...FROM_US, 'content-type': 'application/json' } }
    expect((await edge('/triggers/preview', { ...init, body: JSON.stringify(body) })).status).toBe(
      401,
    )
  })

  it('accepts no source, params or key', async () => {
    for (const name of ['action_code', 'usage_api_key', 'default_params'])
      expect((await check('webhook', { [name]: 'x' })).status).toBe(422)
  })

  it('counts chain lookups toward the same limit as API calls', async () => {
    const who = await Person.signedIn()
    const csrf = await token(who)
    const fields = {
      chain: 'ethereum',
      contract_address: `0x${'51'.repeat(20)}`,
      event_signature: 'A()',
    }
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'))
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const body = { csrf, kind: 'chain_event', fields }
    const statuses = new Set<number>()
    for (let n = 0; n < 21; n++) statuses.add((await who.ask('/triggers/preview', body)).status)
    expect(statuses).toContain(429)
  })

  it('XSS: escapes text that a contract wrote into a log', async () => {
    const { arbitrum } = settingsOf(env).CHAINS
    const chain = new ScriptedChain({ chainId: arbitrum!.chainId, firstBlock: 70, salt: 'forms' })
    const said = MARKUPS[1]!
    const hex = [...new TextEncoder().encode(said)].map((byte) =>
      byte.toString(16).padStart(2, '0'),
    )
    const word = (value: number) => value.toString(16).padStart(64, '0')
    const address = `0x${'51'.repeat(20)}`
    const { topic0 } = parseEventSignature('Said(string words)')
    const data = `0x${word(32)}${word(said.length)}${hex.join('').padEnd(64, '0')}`
    chain.mine([{ address, topics: [topic0], data }])
    chain.mineEmpty(3)
    const network = fetchOf({ [arbitrum!.rpc[0]!]: new ChainNode(chain) })
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) =>
      new Request(input, init).url.startsWith(arbitrum!.rpc[0]!)
        ? network(input, init)
        : send(input, init),
    )
    // Triggers of other tests watch this chain through a node that does not exist, so its watcher would be in backoff.
    const watcher = env.CHAIN_WATCHER.getByName('arbitrum')
    await runInDurableObject(watcher, (_, state) => state.abort('evicted')).catch(() => {})
    const page = await submitNew('chain_event', {
      do: 'check',
      chain: 'arbitrum',
      contract_address: address,
      event_signature: 'Said(string words)',
      finality: 'latest',
    })
    expect(textOf(page.text)).toContain(said)
    expect(textOf(page.text)).toContain('Matching events in')
    isInert(page)
  })
})
