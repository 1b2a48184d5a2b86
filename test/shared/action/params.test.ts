/** Compares the declared params with those of real firings, in both directions. */
import { fileURLToPath } from 'node:url'
// The project's own TypeScript 7 has no stable API yet.
import ts from 'dts-bundle-generator/node_modules/typescript/lib/typescript.js'
import { expect, it } from 'vitest'
import { blockMark } from '../../../edge/chain/block-mark.ts'
import { transactionMark } from '../../../edge/chain/transaction-mark.ts'
import { parseEventSignature } from '../../../edge/chain/signature/parse-event-signature.ts'
import type { DecodePlan } from '../../../edge/chain/decoding/decoded-log.ts'
import { type Firing, eventParams, type WebhookFiring } from '../../../edge/queue/firing.ts'
import { encodeBatchedEvent } from '../../../edge/queue/webhook-batch.ts'
import type { Transaction } from '../../../shared/action/index.ts'
import type { TransactionRecord } from '../../../shared/wire/transactions.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

const webhookFiring = (
  contentType: string | null,
  more: Partial<WebhookFiring> = {},
): WebhookFiring => ({
  source: 'webhook',
  method: 'POST',
  url: 'https://triggers.example.com/webhook/x?a=1&b=2&b=3',
  query: { a: '1', b: ['2', '3'] },
  receivedAt: 0,
  contentType,
  rules: 2,
  headers: { 'x-github-event': 'push' },
  ...more,
})

const webhook = (contentType: string | null, body: Uint8Array, more: Partial<WebhookFiring> = {}) =>
  eventParams(webhookFiring(contentType, more), body)

const batch = (...events: [contentType: string, body: string, more?: Partial<WebhookFiring>][]) =>
  eventParams(
    { source: 'webhook_batch' },
    Buffer.concat(
      events.map(([contentType, body, more]) =>
        encodeBatchedEvent(JSON.stringify(webhookFiring(contentType, more)), utf8(body)),
      ),
    ),
  )

const word = (digit: string) => `0x${digit.repeat(64)}`
const address = (digit: string) => `0x${'0'.repeat(24)}${digit.repeat(40)}`
const SIGNATURE = 'Handed(address,address)'

function chainEvent(plan: DecodePlan): Record<string, unknown> {
  const firing: Firing = {
    source: 'chain_event',
    chain: 'base',
    chainId: 8453,
    signature: SIGNATURE,
    plan,
  }
  const log = {
    address: `0x${'a'.repeat(40)}`,
    topics: [parseEventSignature(SIGNATURE).topic0, address('1')],
    data: address('2'),
    blockNumber: 7,
    blockHash: word('b'),
    blockTimestamp: 1_700_000_000,
    transactionHash: word('c'),
    transactionIndex: 3,
    logIndex: 4,
    ordinal: 0,
  }
  return eventParams(firing, utf8(JSON.stringify(log)))
}

const ambiguous = (omitted: number): DecodePlan => ({
  decode: 'ambiguous',
  indexed: [0],
  readings: [[0], [1]],
  omitted,
})

const HANDED = 'ChainEventParams<[string, string]>'
const PARTY = `0x${'a1'.repeat(20)}`

const FIRINGS: [name: string, type: string, params: Record<string, unknown>][] = [
  ['JSON', 'WebhookParams<{ n: number }>', webhook('application/json', utf8('{"n":1}'))],
  ['malformed JSON', 'WebhookParams', webhook('application/json', utf8('{'))],
  ['bytes', 'WebhookParams<null>', webhook(null, new Uint8Array([0xff]))],
  ['many headers', 'WebhookParams', webhook('text/plain', utf8('a'), { headersTruncated: true })],
  [
    'a batch',
    'WebhookBatchParams<{ n: number }>',
    batch(['application/json', '{"n":1}'], ['application/json', '{"n":2}']),
  ],
  [
    'a batch with malformed JSON and many headers',
    'WebhookBatchParams',
    batch(['application/json', '{'], ['text/plain', 'a', { headersTruncated: true }]),
  ],
  [
    'a tick',
    'ScheduleParams',
    eventParams({ source: 'schedule', scheduledAt: 0, cron: '* * * * *' }, utf8('')),
  ],
  [
    'a tick in a time zone',
    'ScheduleParams',
    eventParams(
      {
        source: 'schedule',
        scheduledAt: 0,
        cron: '* * * * *',
        timezone: 'Asia/Kathmandu',
        local: '1970-01-01T05:30:00+05:30',
      },
      utf8(''),
    ),
  ],
  [
    'a one-off run',
    'OneOffParams',
    eventParams({ source: 'schedule', scheduledAt: 0, at: '1970-01-01T00:00:00Z' }, utf8('')),
  ],
  ['an exact log', HANDED, chainEvent({ decode: 'exact', indexed: [0] })],
  ['an inferred log', HANDED, chainEvent({ decode: 'inferred', indexed: [1] })],
  ['an ambiguous log', HANDED, chainEvent(ambiguous(0))],
  ['an ambiguous log with more readings', HANDED, chainEvent(ambiguous(5))],
  [
    'a block',
    'ChainBlockParams',
    eventParams(
      { source: 'chain_event', chain: 'base', chainId: 8453, every: 10 },
      utf8(JSON.stringify(blockMark({ number: 20, hash: '0x1', timestamp: 30 }))),
    ),
  ],
  [
    'a transaction',
    'ChainTransactionParams',
    eventParams(
      { source: 'chain_event', chain: 'base', chainId: 8453, of: 'transaction' },
      utf8(
        JSON.stringify(
          transactionMark(
            { number: 20, hash: '0x1', timestamp: 30 },
            { hash: '0x2', index: 0, from: PARTY, to: null, value: '5', input: '0x' },
            { status: 'success', gasUsed: 21_000 },
          ),
        ),
      ),
    ),
  ],
  ['an undecoded log', HANDED, chainEvent({ decode: 'raw', reason: 'three topics' })],
]

/** Returns the errors of `const params: type = value`, which reports members that are missing, and those in excess. */
function check(cases: readonly { type: string; params: unknown }[]): string[][] {
  const folder = fileURLToPath(new URL('../../../shared/action/', import.meta.url))
  const options: ts.CompilerOptions = {
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  }
  const host = ts.createCompilerHost(options)
  const texts = new Map(
    cases.map(({ type, params }, at) => [
      `${folder}firing-${at}.ts`,
      `import type { ChainBlockParams, ChainEventParams, ChainTransactionParams, OneOffParams, ScheduleParams, WebhookBatchParams, WebhookParams } from './params.ts'
      export type Used = [ChainBlockParams, ChainEventParams, ChainTransactionParams, OneOffParams, ScheduleParams, WebhookBatchParams, WebhookParams]
      export const params: ${type} = ${JSON.stringify(params)}`,
    ]),
  )
  const getSourceFile = host.getSourceFile.bind(host)
  host.getSourceFile = (name, ...rest) => {
    const text = texts.get(name)
    return text === undefined
      ? getSourceFile(name, ...rest)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ES2023)
  }
  const program = ts.createProgram([...texts.keys()], options, host)
  return [...texts.keys()].map((name) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  )
}

it('the declared params are those of each kind of firing', () => {
  const tick = { source: 'schedule', scheduled_at: '' }
  const batched = batch(['application/json', '{"n":1}'])
  const [missing, excess, single, ...errors] = check([
    { type: 'ScheduleParams', params: tick },
    { type: 'ScheduleParams', params: { ...tick, cron: '', extra: 1 } },
    { type: 'WebhookParams<{ n: number }>', params: batched },
    ...FIRINGS.map(([, type, params]) => ({ type, params })),
  ])
  expect(FIRINGS.map(([name], at) => [name, errors[at]])).toEqual(
    FIRINGS.map(([name]) => [name, []]),
  )
  // Every optional member occurs.
  const all = JSON.stringify(FIRINGS)
  for (const name of [
    'event_parse_error',
    'headers_truncated',
    'readings_omitted',
    'scheduled_local',
  ])
    expect(all).toContain(`"${name}"`)
  // The check finds a member that a firing lacks, or has in excess.
  expect(missing).toEqual([expect.stringContaining("'cron' is missing")])
  expect(excess).toEqual([expect.stringContaining(`"extra"' does not exist`)])
  expect(single).toEqual([expect.stringContaining(`"events"' does not exist`)])
})

type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

it('the declared transaction is the record of the API', () => {
  const isSame: IsSame<Transaction, TransactionRecord> = true
  const hasSameMembers: IsSame<keyof Transaction, keyof TransactionRecord> = true
  expect([isSame, hasSameMembers]).toEqual([true, true])
})
