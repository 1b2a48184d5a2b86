import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { settingsOf } from '../../../edge/env.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import type { TriggerPreview } from '../../../shared/wire/preview.ts'
import type { RunRecord, StoredTrigger, TriggerRecord } from '../../../shared/wire/trigger.ts'
import { ChainNode } from '../../doubles/chain-node/chain-node.ts'
import { fetchOf } from '../../doubles/chain-node/fetch-of.ts'
import { ScriptedChain } from '../../doubles/chain-node/scripted-chain.ts'
import { edge, env, type Owner, post, queueOf, script, someOwner, success } from '../app.ts'

/** The tests use the real watchers of two chains, with nodes in this isolate. */
const { bsc, base } = settingsOf(env).CHAINS
const BSC = new ScriptedChain({ chainId: bsc!.chainId, firstBlock: 5_000 })
const BASE = new ScriptedChain({ chainId: base!.chainId, firstBlock: 900, salt: 'base' })
BSC.mineEmpty(40)
BASE.mineEmpty(40)
const SIGNATURE = 'Paid(address indexed by, uint256 amount)'
const { topic0 } = parseEventSignature(SIGNATURE)
const [SHOP, OTHER_SHOP] = [`0x${'51'.repeat(20)}`, `0x${'52'.repeat(20)}`]
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const paid = (amount: number, address = SHOP) => ({
  address,
  topics: [topic0, word(7)],
  data: word(amount),
})

let nodes: { bsc: ChainNode; base: ChainNode }
let owner: Owner
beforeEach(async () => {
  nodes = { bsc: new ChainNode(BSC), base: new ChainNode(BASE) }
  const behind = { [bsc!.rpc[0]!]: nodes.bsc, [base!.rpc[0]!]: nodes.base }
  const network = fetchOf(behind)
  const send = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const { url } = new Request(input, init)
    return Object.keys(behind).some((prefix) => url.startsWith(prefix))
      ? network(input, init)
      : send(input, init)
  })
  owner = await someOwner()
})
afterEach(async () => {
  const list: TriggerRecord[] = await (await owner.api('/api/triggers')).json()
  await Promise.all(list.map(({ id }) => owner.api(`/api/triggers/${id}`, { method: 'DELETE' })))
  vi.restoreAllMocks()
})

const fields = (config: object = {}, over: object = {}) => ({
  name: 'payments',
  kind: 'chain_event',
  action_code: script(success()),
  usage_api_key: 'usage-key',
  config: { chain: 'bsc', contract_address: SHOP, event_signature: SIGNATURE, ...config },
  options: { finality: 'latest' },
  ...over,
})
const send = (path: string, body: object, method = 'POST') =>
  owner.api(path, { ...post('', body).init, method })
const patch = (id: string, body: object) => send(`/api/triggers/${id}`, body, 'PATCH')
async function create(config: object = {}, over: object = {}): Promise<TriggerRecord> {
  const response = await send('/api/triggers', fields(config, over))
  expect(response.status).toBe(201)
  return response.json()
}
const read = async (id: string): Promise<TriggerRecord> =>
  (await owner.api(`/api/triggers/${id}`)).json()
/** Returns the amounts of payments with a run, oldest first. */
async function amounts(id: string): Promise<number[]> {
  const page: { runs: RunRecord[] } = await (await owner.api(`/api/triggers/${id}/runs`)).json()
  const events = page.runs.map(({ input }) => input.event as { decoded: { arg1: string } })
  return events.map(({ decoded }) => Number(decoded.arg1)).toReversed()
}
const patiently = { timeout: 15_000, interval: 50 }
const fired = (id: string, expected: number[]) =>
  vi.waitFor(async () => expect(await amounts(id)).toEqual(expected), patiently)
const watcher = (chain: string) => env.CHAIN_WATCHER.getByName(chain)
const triggersOf = async (chain: string) => (await watcher(chain).status()).triggers

describe('a chain event trigger that was deleted', () => {
  it('fires for later logs when an operator has restored it', async () => {
    const { id } = await create()
    await patch(id, { name: 'renamed' })
    const operate = async (command: string, more: object): Promise<any> => {
      const body = { command, operator: 'ada', reason: 'ticket 7', user: owner.id, ...more }
      const { path, init } = post('/operator', body)
      const headers = { ...init.headers, authorization: `Bearer ${env.OPERATOR_TOKEN}` }
      return (await edge(path, { ...init, headers })).json()
    }
    const { triggers } = (await operate('export-triggers', {})).result
    expect((await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })).ok).toBe(true)
    BSC.mine([paid(1)])
    const { result } = await operate('import-trigger', { trigger: triggers[0] })
    expect(result).toMatchObject({ id, imported: true })
    BSC.mine([paid(2)])
    await fired(id, [2])
  })
})

describe('creating a chain event trigger', () => {
  it('fires for later logs of its contract, and shows the watched event', async () => {
    BSC.mine([paid(1)])
    const record = await create()
    expect(record).toMatchObject({
      canonical_signature: 'Paid(address,uint256)',
      topic0,
      finality: 'latest',
      config: { contract_address: SHOP, event_signature: SIGNATURE },
    })
    expect(record.next_run_at).toBeUndefined()
    BSC.mine([paid(2), paid(3, OTHER_SHOP), paid(4)])
    await fired(record.id, [2, 4])
  })

  it('shows the address with its EIP-55 checksum, whatever case was sent', async () => {
    const checksummed = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
    const wrongChecksum = checksummed.replace('fCD6', 'FcD6')
    for (const contract_address of [checksummed.toLowerCase(), wrongChecksum]) {
      const { id, config } = await create({ contract_address })
      expect(config.contract_address).toBe(checksummed)
      expect((await read(id)).config.contract_address).toBe(checksummed)
    }
  })

  it('warns at creation and PATCH if only indexed marks determine the decoding, until they are given', async () => {
    const config = { chain: 'bsc', contract_address: SHOP }
    const forms = 'Handed(address indexed, address) or Handed(address, address indexed)'
    const open = { ...config, event_signature: 'Handed(address,address)' }
    const created: StoredTrigger = await create(open)
    expect(created.warnings).toEqual([expect.stringContaining(forms)])
    const again: StoredTrigger = await (await patch(created.id, { config: open })).json()
    expect(again.warnings).toEqual(created.warnings)
    const renamed: StoredTrigger = await (await patch(created.id, { name: 'other' })).json()
    expect(renamed.warnings).toBeUndefined()
    const marked = { ...config, event_signature: 'Handed(address,address indexed)' }
    const certain: StoredTrigger = await (await patch(created.id, { config: marked })).json()
    expect(certain.warnings).toBeUndefined()
  })

  it('shows the default finality of the chain if none was given', async () => {
    expect(await create({}, { options: {} })).toMatchObject({ finality: 15, options: {} })
  })

  it('with a start block fires for logs since then, and shows the progress', async () => {
    const { number } = BSC.mine([paid(10)])
    BSC.mineEmpty(3)
    const { number: head } = BSC.mine([paid(11)])
    const { id, backfill } = await create({ start_block: number })
    expect(backfill).toEqual({ from: number, to: head, at: number, done: false })
    await fired(id, [10, 11])
    await vi.waitFor(
      async () => expect((await read(id)).backfill).toMatchObject({ done: true, at: head + 1 }),
      patiently,
    )
    BSC.mine([paid(12)])
    await fired(id, [10, 11, 12])
  })

  it('while disabled sends nothing to the node, and starts when it is enabled', async () => {
    const asked = nodes.bsc.requests
    const { id } = await create({}, { enabled: false })
    expect(nodes.bsc.requests).toBe(asked)
    BSC.mine([paid(20)])
    expect((await patch(id, { enabled: true })).status).toBe(200)
    BSC.mine([paid(21)])
    await fired(id, [21])
  })

  it('with 10,000 addresses fires for each of them, and is listed without them', async () => {
    const addresses = Array.from(
      { length: 10_000 },
      (_, at) => `0x${(0x77_000_000 + at).toString(16).toUpperCase().padStart(40, '0')}`,
    ).toReversed()
    const { contract_address: _, ...rest } = fields().config as Record<string, unknown>
    const { number } = BSC.mine([paid(200, addresses[4]!.toLowerCase()), paid(201)])
    const body = fields({}, { config: { ...rest, addresses, start_block: number } })
    const response = await send('/api/triggers', body)
    expect(response.status).toBe(201)
    const record: TriggerRecord = await response.json()
    const sorted = addresses.map((one) => one.toLowerCase()).toReversed()
    expect(record).toMatchObject({ addresses_count: 10_000, config: { addresses } })
    expect((await read(record.id)).config).toEqual(record.config)
    await fired(record.id, [200])
    BSC.mine([paid(202, sorted[9_999]), paid(203)])
    await fired(record.id, [200, 202])
    const list: TriggerRecord[] = await (await owner.api('/api/triggers')).json()
    expect(list).toEqual([expect.objectContaining({ id: record.id, addresses_count: 10_000 })])
    expect(list[0]!.config).not.toHaveProperty('addresses')
    const row = await runInDurableObject(queueOf(record.id), (_object, { storage }) =>
      storage.sql.exec<{ config: string }>('SELECT config FROM trigger').one(),
    )
    expect(row.config.length).toBeLessThan(500)
    const { start_block: __, ...config } = record.config
    await patch(record.id, { config: { ...config, addresses: sorted.slice(0, 1) } })
    BSC.mine([paid(204, sorted[9_999]), paid(205, sorted[0])])
    await fired(record.id, [200, 202, 205])
    expect(await read(record.id)).toMatchObject({ addresses_count: 1 })
    await patch(record.id, { config: { ...rest, contract_address: SHOP } })
    expect(await read(record.id)).not.toHaveProperty('addresses_count')
    expect((await read(record.id)).config).not.toHaveProperty('addresses')
  }, 60_000)

  it('with addresses previews the logs of any of them', async () => {
    BSC.mine([paid(601, OTHER_SHOP), paid(602)])
    const { usage_api_key: _, action_code: __, name: ___, ...body } = fields()
    const { contract_address: ____, ...rest } = body.config as Record<string, unknown>
    const config = { ...rest, addresses: [SHOP, OTHER_SHOP] }
    const response = await send('/api/triggers/preview', { ...body, config })
    expect(response.status).toBe(200)
    const { logs } = (await response.json()) as TriggerPreview
    const shown = logs!.slice(0, 2) as { decoded: { arg1: string } }[]
    expect(shown.map(({ decoded }) => decoded.arg1)).toEqual(['602', '601'])
  })

  it('denial of service: a user has at most 100,000 addresses in all triggers', async () => {
    const { contract_address: _, ...rest } = fields().config as Record<string, unknown>
    const addresses = Array.from({ length: 10_000 }, (__, at) => word(at + 1).replace(/0{24}/, ''))
    const { id } = await create({}, { enabled: false })
    const db = env.DB
    await db
      .prepare(
        `UPDATE triggers SET record = json_set(record, '$.addresses_count', 90001) WHERE id = ?`,
      )
      .bind(id)
      .run()
    const other = await create({}, { enabled: false })
    for (const [path, method] of [
      ['/api/triggers', 'POST'],
      [`/api/triggers/${other.id}`, 'PATCH'],
    ] as const) {
      const config = { ...rest, addresses }
      const response = await send(
        path,
        method === 'POST' ? fields({}, { config }) : { config },
        method,
      )
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({
        message: expect.stringContaining('config.addresses: your triggers would have 100001'),
      })
    }
  })

  it('with conditions fires only for logs whose values match, old ones too', async () => {
    const { number } = BSC.mine([paid(10), paid(30)])
    BSC.mineEmpty(2)
    const where = { amount: { gte: '20', lt: '40' } }
    const record = await create({ start_block: number, where })
    expect(record.config).toMatchObject({ where })
    await fired(record.id, [30])
    BSC.mine([paid(31), paid(41), paid(20)])
    await fired(record.id, [30, 31, 20])
    const { config } = await read(record.id)
    const { start_block: _, ...now } = config
    await patch(record.id, { config: { ...now, where: { amount: { eq: '41' } } } })
    BSC.mine([paid(32), paid(41)])
    await fired(record.id, [30, 31, 20, 41])
  })

  it('rejects a condition that does not fit the event, naming the argument', async () => {
    const wrong = { where: { amount: { gt: '0x5' } } }
    for (const path of ['/api/triggers', '/api/triggers/preview']) {
      const { usage_api_key: _, action_code: __, name: ___, ...only } = fields(wrong)
      const body = path.endsWith('preview') ? only : fields(wrong)
      const response = await send(path, body)
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({
        message: expect.stringContaining('config.where.amount.gt: expected an integer'),
      })
    }
  })

  it('previews only logs whose values match, and says if none does', async () => {
    BSC.mine([paid(501), paid(502)])
    const { usage_api_key: _, action_code: __, name: ___, ...body } = fields()
    const preview = async (where: object) => {
      const config = { ...body.config, where }
      const response = await send('/api/triggers/preview', { ...body, config })
      expect(response.status).toBe(200)
      return response.json() as Promise<TriggerPreview>
    }
    const found = await preview({ amount: { eq: '501' } })
    expect(found.logs).toEqual([
      expect.objectContaining({ decoded: expect.objectContaining({ arg1: '501' }) }),
    ])
    BSC.code.set(SHOP, '0x60')
    const none = await preview({ amount: { eq: '77777' } })
    expect(none).toMatchObject({
      logs: [],
      warnings: [expect.stringContaining('topic_filters and where')],
    })
  })

  it('with a tag that its chain does not support returns 422', async () => {
    nodes.bsc.tags = []
    const response = await send('/api/triggers', fields({}, { options: { finality: 'safe' } }))
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      message: expect.stringContaining('options.finality'),
    })
  }, 30_000)

  it('on a chain that is not configured returns 422', async () => {
    const response = await send('/api/triggers', fields({ chain: 'polygon' }))
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ error: 'chain_not_configured' })
  })
})

describe('changing a chain event trigger', () => {
  it('to another contract fires only for that contract from then on', async () => {
    const { id, config } = await create()
    BSC.mine([paid(30)])
    await fired(id, [30])
    const changed = await patch(id, { config: { ...config, contract_address: OTHER_SHOP } })
    expect(changed.status).toBe(200)
    BSC.mine([paid(31), paid(32, OTHER_SHOP)])
    await fired(id, [30, 32])
  })

  it('to another chain watches only that chain from then on', async () => {
    const { id, config } = await create()
    expect(await triggersOf('bsc')).toBe(1)
    expect((await patch(id, { config: { ...config, chain: 'base' } })).status).toBe(200)
    expect([await triggersOf('bsc'), await triggersOf('base')]).toEqual([0, 1])
    BSC.mine([paid(40)])
    BASE.mine([paid(41)])
    await fired(id, [41])
  })

  it('to an unconfigured chain or with an unknown key is rejected and changes nothing', async () => {
    const { id, config } = await create()
    for (const over of [{ chain: 'polygon' }, { confirmations: 2 }])
      expect((await patch(id, { config: { ...config, ...over } })).status).toBe(422)
    expect(await read(id)).toMatchObject({ config })
    BSC.mine([paid(50)])
    await fired(id, [50])
  })

  it('from disabled to enabled resumes from now, without missed events', async () => {
    const { id } = await create()
    await patch(id, { enabled: false })
    expect(await triggersOf('bsc')).toBe(0)
    BSC.mine([paid(60)])
    await patch(id, { enabled: true })
    BSC.mine([paid(61)])
    await fired(id, [61])
  })

  it('only in its finality loses no events', async () => {
    const { id } = await create()
    BSC.mine([paid(70)])
    await fired(id, [70])
    expect((await patch(id, { options: { finality: 2 } })).status).toBe(200)
    BSC.mine([paid(71)])
    BSC.mineEmpty(2)
    await fired(id, [70, 71])
  })
})

describe('deleting a chain event trigger', () => {
  it('stops watching', async () => {
    const { id } = await create()
    expect(await triggersOf('bsc')).toBe(1)
    expect((await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await triggersOf('bsc')).toBe(0)
  })
})

it('restores a lost watcher subscription when the scanner visits the trigger', async () => {
  const { id } = await create()
  await watcher('bsc').unwatch(id, 1)
  expect(await triggersOf('bsc')).toBe(0)
  await queueOf(id).visit(1)
  await vi.waitFor(async () => expect(await triggersOf('bsc')).toBe(1), patiently)
  BSC.mine([paid(80)])
  await fired(id, [80])
})

it('marks a run with a reorged log, and creates a run for the replacement', async () => {
  const { id } = await create()
  BSC.mine([paid(90)])
  await fired(id, [90])
  BSC.reorg(1, [[paid(91)], []])
  await fired(id, [90, 91])
  const page: { runs: RunRecord[] } = await (await owner.api(`/api/triggers/${id}/runs`)).json()
  expect(page.runs.map(({ reorged }) => reorged)).toEqual([false, true])
})

// This suite runs last: a failed endpoint is not used for a while.
describe('while a chain is unreachable', () => {
  beforeEach(() => {
    nodes.base.faults = { serverError: 1 }
  })

  it('returns 503 for a new trigger on it, and stores nothing', async () => {
    const response = await send('/api/triggers', fields({ chain: 'base' }))
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ reason: 'chain_unavailable' })
    expect(response.headers.get('retry-after')).toBe('15')
    expect(await (await owner.api('/api/triggers')).json()).toEqual([])
  }, 30_000)

  it('does not change a trigger that would move to it', async () => {
    const { id, config } = await create()
    const response = await patch(id, { name: 'moved', config: { ...config, chain: 'base' } })
    expect(response.status).toBe(503)
    expect(await read(id)).toMatchObject({ name: 'payments', config })
    BSC.mine([paid(100)])
    await fired(id, [100])
  }, 30_000)
})
