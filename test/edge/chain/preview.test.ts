import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockMark, intervalFilter } from '../../../edge/chain/block-mark.ts'
import { transactionMark, transactionsFilter } from '../../../edge/chain/transaction-mark.ts'
import { readChainEventConfig } from '../../../edge/chain/chain-event-config.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import { chainRecords } from '../../../edge/chain/chain-records.ts'
import type { Chains } from '../../../shared/config/chain-settings.ts'
import { type ChainEvent, toChainEvent } from '../../../edge/chain/decoding/chain-event.ts'
import { RangeRejectedError } from '../../../shared/rpc/chain-read-errors.ts'
import { inspectContract } from '../../../edge/chain/watch/inspect-contract.ts'
import type { ChainStatus, Watcher } from '../../../edge/chain/watch/watcher.ts'
import { toApiError } from '../../../edge/http/failure.ts'
import { exampleLog } from '../../../edge/triggers/preview/example-log.ts'
import { previewTrigger } from '../../../edge/triggers/preview/preview-trigger.ts'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { previewRequest } from '../../../shared/wire/preview.ts'
import { sleep } from '../../../edge/sleep.ts'

const ADDRESS = '0x00000000000000000000000000000000000000aa'
const TOKEN = `0x${'11'.repeat(20)}`
const KEY = 'k3y-of-a-provider'
const CHAINS: Chains = {
  ethereum: { chainId: 1, rpc: [`https://node.example/${KEY}`], finality: 12, pollMs: 1_000 },
}
const word = (value: bigint | number) => value.toString(16).padStart(64, '0')
const topic = (value: bigint | number) => `0x${word(value)}`
const configOf = (event_signature: string, more: object = {}) => ({
  chain: 'ethereum',
  contract_address: TOKEN,
  event_signature,
  ...more,
})
const logOf = (signature: string, topics: string[], data: string, more = {}): ChainLog => ({
  address: TOKEN,
  topics: [readChainEventConfig(configOf(signature)).signature.topic0, ...topics],
  data: `0x${data}`,
  blockNumber: 90,
  blockHash: topic(90),
  blockTimestamp: 1_700_000_000,
  transactionHash: topic(7),
  transactionIndex: 0,
  logIndex: 0,
  ordinal: 0,
  ...more,
})

type Answers = {
  [Name in 'recent' | 'contractAt']?: Awaited<ReturnType<Watcher[Name]>>
}
const found = (...logs: ChainLog[]) =>
  ({ state: 'found', logs, searched: { from: 1, to: 100 } }) as const
/** Requests a preview of a chain with a watcher that gives these answers. */
async function preview(signature: string, answers: Answers, fields: object = {}, config = {}) {
  const asked: unknown[][] = []
  const shown = await previewTrigger(
    previewRequest.parse({ kind: 'chain_event', config: configOf(signature, config), ...fields }),
    {
      now: 1_800_000_000_000,
      publicUrl: 'https://edge.test',
      chains: CHAINS,
      watcherOf: (chain) => ({
        recent: async (...args) => {
          asked.push(['recent', chain, ...args])
          return answers.recent ?? found()
        },
        contractAt: async (...args) => {
          asked.push(['contractAt', ...args])
          return answers.contractAt ?? { state: 'known', hasCode: true, events: [] }
        },
      }),
      recentEvents: async () => [],
      requireChainRate: async () => void asked.push(['rate']),
    },
  )
  return { ...shown, asked, event: shown.params['event'] as ChainEvent }
}

const TRANSFER = 'Transfer(address,address,uint256)'
const transfer = (amount: number, more = {}) =>
  logOf(TRANSFER, [topic(0xa), topic(0xb)], word(amount), more)

describe('a preview of a chain event', () => {
  it('returns the latest logs as an action receives them, and the newest one in its params', async () => {
    const logs = [transfer(2, { logIndex: 1 }), transfer(1)]
    const shown = await preview(TRANSFER, { recent: found(...logs) }, { default_params: { a: 1 } })
    expect(shown.logs!.map(({ decoded }) => decoded)).toMatchObject([{ arg2: '2' }, { arg2: '1' }])
    expect(shown.params).toEqual({ a: 1, source: 'chain_event', event: shown.logs![0] })
    expect(shown).toMatchObject({
      canonical_signature: TRANSFER,
      topic0: logs[0]!.topics[0],
      searched: { from: 1, to: 100 },
      warnings: [],
    })
  })

  it('uses the chain’s default finality unless the request sets one', async () => {
    const { filter } = readChainEventConfig(configOf(TRANSFER))
    const { asked } = await preview(TRANSFER, { recent: found(transfer(1)) })
    expect(asked).toEqual([['rate'], ['recent', 'ethereum', filter, 12, 5]])
    const options = { finality: 'safe' }
    const other = await preview(TRANSFER, { recent: found(transfer(1)) }, { options })
    expect(other.asked[1]![3]).toBe('safe')
  })

  it('of blocks returns the latest ones, and an example if there is none', async () => {
    const marks = [90, 80].map((number) =>
      blockMark({ number, hash: topic(number), timestamp: number }),
    )
    const config = { chain: 'ethereum', blocks: { every: 10 } }
    const shown = await preview('', { recent: found(...marks) }, { config })
    expect(shown.asked[1]).toEqual(['recent', 'ethereum', intervalFilter(10), 12, 5])
    expect(shown.logs!.map((block) => block['block_number'])).toEqual([90, 80])
    expect(shown.params).toEqual({ source: 'chain_event', event: shown.logs![0] })
    expect(shown).not.toHaveProperty('topic0')
    const none = await preview('', { recent: found() }, { config })
    expect(none.params).toMatchObject({ event: { every: 10, block_number: 10 } })
  })

  it('of transactions returns the latest ones, and an example if there is none', async () => {
    const party = `0x${'ab'.repeat(20)}`
    const mark = transactionMark(
      { number: 90, hash: topic(90), timestamp: 90 },
      { hash: topic(1), index: 0, from: party, to: null, value: '7', input: '0x60806040' },
      { status: 'success', gasUsed: 50_000 },
    )
    const transactions = { from: party, status: 'reverted', min_value: '3' }
    const config = { chain: 'ethereum', transactions }
    const shown = await preview('', { recent: found(mark) }, { config })
    const filter = transactionsFilter({ from: [party], minValue: '3' }, 'reverted')
    expect(shown.asked[1]).toEqual(['recent', 'ethereum', filter, 12, 5])
    expect(shown.logs).toMatchObject([{ to: null, value: '7', selector: '0x60806040' }])
    expect(shown.params).toEqual({ source: 'chain_event', event: shown.logs![0] })
    const none = await preview('', { recent: found() }, { config })
    expect(none.params).toMatchObject({ event: { value: '3', status: 'reverted', input: '0x' } })
  })

  it('of a factory that named no contract recently shows an example and says so', async () => {
    const factory = { address: TOKEN, event: 'Made(address pool)', parameter: 'pool' }
    const config = { chain: 'ethereum', event_signature: 'Done(uint256 value)', factory }
    const shown = await preview('', { recent: found() }, { config })
    expect(shown.asked.map(([name]) => name)).not.toContain('contractAt')
    expect(shown.warnings?.join()).toContain('factory')
    expect(shown.params).toMatchObject({ event: { decoded: { arg0: '0' } } })
  })

  it('sends no request to the chain if the trigger would be rejected', async () => {
    const options = { options: { misfire: 'skip' } }
    await expect(preview(TRANSFER, {}, options)).rejects.toThrow('field')
    await expect(preview('Transfer(', {})).rejects.toThrow('field')
  })

  it('infers indexed arguments from all logs together, and suggests an unambiguous signature', async () => {
    const signature = 'Moved(uint256,address)'
    const logs = [7n, 1n << 200n].map((amount) => logOf(signature, [topic(amount)], word(0xaan)))
    const { event, warnings } = await preview(signature, { recent: found(...logs) })
    expect(event.decode).toBe('inferred')
    expect(warnings).toEqual([expect.stringContaining('Moved(uint256 indexed, address)')])
    expect(warnings![0]).toContain('arguments were inferred')
  })

  it('lists the possible signatures of an ambiguous log, and warns even before there is a log', async () => {
    const signature = 'Moved(address from, address to)'
    const forms =
      'Moved(address indexed from, address to) or Moved(address from, address indexed to)'
    const log = logOf(signature, [topic(0xaan)], word(0xbbn))
    const shown = await preview(signature, { recent: found(log) })
    expect(shown.event.decode).toBe('ambiguous')
    expect(shown.warnings).toEqual([expect.stringContaining(forms)])
    expect((await preview(signature, {})).warnings).toEqual([expect.stringContaining(forms)])
  })

  it('warns that logs do not match the indexed marks', async () => {
    const marked = 'Transfer(address indexed from, address to, uint256 value)'
    const { event, warnings } = await preview(marked, { recent: found(transfer(1)) })
    expect(event).toMatchObject({ decode: 'raw', decoded: null })
    expect(warnings).toEqual([expect.stringContaining('do not match event_signature')])
  })

  it.each<[string, Answers['contractAt'], string]>([
    ['there is no contract', { state: 'known', hasCode: false, events: [] }, 'No contract exists'],
    [
      'the contract never tells of it',
      { state: 'known', hasCode: true, events: [topic(1)] },
      'check event_signature',
    ],
    [
      'the filters let nothing through',
      { state: 'known', hasCode: true, events: [transfer(1).topics[0]!] },
      'topic_filters',
    ],
  ])('warns if %s', async (_, contractAt, words) => {
    const { warnings } = await preview(TRANSFER, { contractAt: contractAt! })
    expect(warnings).toEqual([expect.stringContaining(words)])
  })

  it('does not warn if no events of the contract are known', async () => {
    const known: NonNullable<Answers['contractAt']>[] = [
      { state: 'away' },
      { state: 'known', hasCode: true, events: null },
      { state: 'known', hasCode: true, events: [] },
    ]
    for (const contractAt of known)
      expect((await preview(TRANSFER, { contractAt })).warnings).toEqual([])
  })

  it.each<[Answers['recent'], number, string, string | undefined]>([
    [{ state: 'away' }, 503, 'chain_unavailable', '15'],
    [{ state: 'busy', retryAfterS: 0.2 }, 503, 'preview_busy', '1'],
    [{ state: 'no_such_finality' }, 422, 'unprocessable_entity', undefined],
  ])('maps the watcher response %j to %i %s', async (recent, status, name, retryAfter) => {
    const failure = await preview(TRANSFER, { recent: recent! }).catch(toApiError)
    if (!(failure instanceof ApiError)) throw new Error('it was answered')
    expect([failure.status, failure.reason]).toEqual([status, name])
    expect(failure.headers['retry-after']).toBe(retryAfter)
  })
})

describe('the example of an event without logs', () => {
  const exampleOf = (signature: string, more = {}) => {
    const read = readChainEventConfig(configOf(signature, more))
    const example = exampleLog(read, 100, 1_800_000_000)
    return toChainEvent({ ...read, chainId: 1, ...example })
  }

  it('indexes the arguments of a known event as its contract does, and uses the filter values', () => {
    const { topics, decoded, decode } = exampleOf(TRANSFER, {
      topic_filters: [null, [topic(0xaa), topic(1)]],
    })
    expect(topics.slice(1)).toEqual([topic(0), topic(0xaa)])
    expect(decoded).toEqual({
      arg0: '0x0000000000000000000000000000000000000000',
      arg1: ADDRESS.replace('aa', 'AA'),
      arg2: '0',
    })
    expect(decode).toBe('exact')
  })

  it('has a value for every type that a signature can contain', () => {
    const elementary = fc.constantFrom(
      'uint256',
      'int8',
      'address',
      'bool',
      'bytes4',
      'string',
      'bytes',
    )
    const { type } = fc.letrec<{ type: string }>((tie) => ({
      type: fc.oneof(
        { depthSize: 'small', maxDepth: 3 },
        elementary,
        fc.tuple(tie('type'), fc.constantFrom('[]', '[2]', '[3]')).map((parts) => parts.join('')),
        fc
          .array(tie('type'), { minLength: 1, maxLength: 3 })
          .map((members) => `(${members.join()})`),
      ),
    }))
    const input = fc.tuple(type, fc.boolean())
    fc.assert(
      fc.property(fc.array(input, { maxLength: 6 }), (inputs) => {
        let marks = 0
        const texts = inputs.map(([text, mark]) =>
          mark && ++marks <= 3 ? `${text} indexed` : text,
        )
        const { decode, decoded } = exampleOf(`Happened(${texts.join()})`)
        expect(decode).not.toBe('raw')
        expect(Object.keys(decoded!)).toHaveLength(inputs.length)
      }),
      { numRuns: 300 },
    )
  })

  it('is not decoded if its values would be megabytes', () => {
    const { decode, data } = exampleOf('Large(uint256[4000],uint256[4000])')
    expect([decode, data]).toEqual(['raw', '0x'])
  })
})

describe('probing a contract without matching logs', () => {
  it('narrows the range if the node refuses it, and lists each event once, latest first', async () => {
    const asked: number[] = []
    const look = await inspectContract(
      {
        hasCode: async () => true,
        logs: async (query, from, to) => {
          asked.push(to - from + 1)
          expect(query).toEqual({ addresses: [TOKEN], topics: [] })
          if (asked.length < 2) throw new RangeRejectedError(100)
          return [transfer(1), logOf('Other()', [], ''), transfer(2)]
        },
      },
      TOKEN,
      { from: 1, to: 10_000 },
    )
    expect(asked).toEqual([2_000, 100])
    expect(look).toEqual({
      state: 'known',
      hasCode: true,
      events: [transfer(1).topics[0], logOf('Other()', [], '').topics[0]],
    })
  })

  it('returns null events if the logs cannot be read, and `away` if the code cannot be read', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('away')
    }
    const range = { from: 1, to: 2 }
    expect(await inspectContract({ hasCode: async () => false, logs: fail }, TOKEN, range)).toEqual(
      {
        state: 'known',
        hasCode: false,
        events: null,
      },
    )
    expect(await inspectContract({ hasCode: fail, logs: fail }, TOKEN, range)).toEqual({
      state: 'away',
    })
  })
})

describe('the status record of a chain', () => {
  const STATUS: ChainStatus = {
    watching: true,
    head: 100,
    headTimestamp: 1_800_000_000,
    answeredAt: 1_800_000_001_000,
    lookedThrough: 97,
    safe: 90,
    finalized: null,
    triggers: 3,
    backfills: 0,
    behind: 0,
    endpoints: [
      { endpoint: 0, state: 'healthy', head: 100, latencyMs: 12, lastFailure: 'timeout' },
    ],
  }
  const recordsOf = (status: () => Promise<ChainStatus>) =>
    chainRecords({
      chains: CHAINS,
      watcherOf: () => ({ status }),
      now: () => 1_800_000_005_000,
      sleep: (_, ended) => sleep(0, ended),
    })

  it('contains the age of the head and the lag in blocks', async () => {
    expect(await recordsOf(async () => STATUS)).toEqual([
      {
        chain: 'ethereum',
        chain_id: 1,
        finality: 12,
        poll_ms: 1_000,
        watching: true,
        head: 100,
        head_at: '2027-01-15T08:00:00.000Z',
        head_age_s: 5,
        looked_through: 97,
        lag_blocks: 3,
        safe: 90,
        finalized: null,
        answered_at: '2027-01-15T08:00:01.000Z',
        rpc: [
          { endpoint: 0, state: 'healthy', head: 100, latency_ms: 12, last_failure: 'timeout' },
        ],
      },
    ])
  })

  it.each([
    ['is silent', () => new Promise<never>(() => {})],
    ['fails', () => Promise.reject(new Error(`https://node.example/${KEY}`))],
  ])('contains nulls and reveals no URL or key if the watcher %s', async (_, status) => {
    const [record] = await recordsOf(status)
    expect(record).toMatchObject({ watching: null, head: null, lag_blocks: null, chain_id: 1 })
    expect(record!.rpc).toEqual([
      { endpoint: 0, state: 'unknown', head: null, latency_ms: null, last_failure: null },
    ])
    expect(JSON.stringify(record)).not.toMatch(/example|k3y/)
  })

  it('a lying node: reports no time for a timestamp beyond the calendar', async () => {
    const status = { ...STATUS, headTimestamp: Number.MAX_SAFE_INTEGER }
    const [record] = await recordsOf(async () => status)
    expect(record!.head_at).toBeNull()
  })
})
