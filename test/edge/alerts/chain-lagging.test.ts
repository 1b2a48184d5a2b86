import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { settingsOf } from '../../../edge/env.ts'
import { LAGGING_MS } from '../../../edge/chain/watch/lag-monitor.ts'
import type { ChainWatcher } from '../../../edge/chain/watch/chain-watcher.ts'
import type { SubjectReport } from '../../../edge/reports/report.ts'
import { HOUR_MS } from '../../../shared/durations.ts'
import { ChainNode } from '../../doubles/chain-node/chain-node.ts'
import { fetchOf } from '../../doubles/chain-node/fetch-of.ts'
import { ScriptedChain } from '../../doubles/chain-node/scripted-chain.ts'
import { createTrigger, env, type Owner } from '../app.ts'
import { incidentsOf, mailsTo, newOwner, pass, patch, reportsOf, sent } from './alerts-harness.ts'

const { arbitrum } = settingsOf(env).CHAINS
const CHAIN = new ScriptedChain({ chainId: arbitrum!.chainId, firstBlock: 700, salt: 'lagging' })
CHAIN.mineEmpty(40)

beforeEach(() => {
  const network = fetchOf({ [arbitrum!.rpc[0]!]: new ChainNode(CHAIN) })
  const send = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) =>
    new Request(input, init).url.startsWith(arbitrum!.rpc[0]!)
      ? network(input, init)
      : send(input, init),
  )
})
afterEach(() => vi.restoreAllMocks())

const watcher = () =>
  env.CHAIN_WATCHER.getByName('arbitrum') as unknown as DurableObjectStub<ChainWatcher>

/** Restarts the watcher with a stored head that last changed some time ago, as if its nodes had stopped. */
async function headLastChanged(msAgo: number): Promise<void> {
  await runInDurableObject(watcher(), async (_, state) => {
    state.storage.sql.exec('UPDATE watch SET answered_at = ?', Date.now() - msAgo)
    await state.storage.sync()
    state.abort('evicted')
  }).catch(() => {})
  await watcher().wake()
}

const chainTrigger = (owner: Owner) =>
  createTrigger(owner, {
    kind: 'chain_event',
    config: {
      chain: 'arbitrum',
      contract_address: `0x${'51'.repeat(20)}`,
      event_signature: 'Said(string words)',
    },
    options: { finality: 'latest' },
  })

const lagging = (over: Partial<SubjectReport> = {}): SubjectReport => ({
  signal: 'chain_lagging',
  subject: 'arbitrum',
  state: 'open',
  code: 'head_not_moving',
  message: null,
  ...over,
})

describe('chain_lagging', () => {
  it('opens one incident per owner and chain, and is resolved by the next block', async () => {
    const [owner, other] = [await newOwner(), await newOwner()]
    await patch(owner, '/api/alerts/settings', { signals: ['chain_lagging'] })
    const created = [await chainTrigger(owner), await chainTrigger(owner)]
    await vi.waitFor(
      async () => expect((await watcher().status()).lookedThrough).toBe(CHAIN.head.number),
      { timeout: 10_000 },
    )
    expect(await incidentsOf(owner)).toEqual([])
    await headLastChanged(LAGGING_MS)
    await vi.waitFor(async () => expect(await incidentsOf(owner)).toHaveLength(1), {
      timeout: 10_000,
    })
    expect(await incidentsOf(owner, '?state=open')).toMatchObject([
      {
        trigger_id: null,
        trigger_name: null,
        subject: 'arbitrum',
        signal: 'chain_lagging',
        code: 'head_not_moving',
        message: 'The nodes of the chain report no new blocks.',
        count: 1,
      },
    ])
    expect(await incidentsOf(other)).toEqual([])
    await sent(owner, 1)
    const [mail] = await mailsTo(owner.email)
    expect(mail!.subject).toBe('A chain lags behind: arbitrum')
    expect(mail!.text).toContain('https://edge.test/alerts\n')
    expect(mail!.text).toContain('Mute all alerts: ')
    CHAIN.mineEmpty(1)
    await vi.waitFor(
      async () => expect(await incidentsOf(owner)).toMatchObject([{ state: 'resolved' }]),
      { timeout: 20_000 },
    )
    for (const { id } of created) await owner.api(`/api/triggers/${id}`, { method: 'DELETE' })
  })

  it('is counted per chain, and resolved if no further report arrives for two hours', async () => {
    const owner = await newOwner()
    const report = (over?: Partial<SubjectReport>) =>
      reportsOf(owner.id).reportSubject(lagging(over))
    await report({ state: 'resolved', code: null })
    for (const subject of ['arbitrum', 'base', 'arbitrum']) await report({ subject })
    expect(await incidentsOf(owner)).toMatchObject([
      { subject: 'base', count: 1 },
      { subject: 'arbitrum', count: 2 },
    ])
    await report({ subject: 'base', state: 'resolved', code: null })
    expect(await incidentsOf(owner, '?state=open')).toMatchObject([{ subject: 'arbitrum' }])
    await pass(owner.id, 2 * HOUR_MS)
    expect(await incidentsOf(owner, '?state=open')).toEqual([])
    expect(await mailsTo(owner.email)).toEqual([])
  })
})
