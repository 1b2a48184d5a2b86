import { describe, expect, it } from 'vitest'
import { watchesSameEvents } from '../../../edge/chain/chain-config.ts'
import { readChainEventConfig } from '../../../edge/chain/chain-event-config.ts'
import type { Chains } from '../../../shared/config/chain-settings.ts'
import { toApiError } from '../../../edge/http/failure.ts'
import { TriggerRejectedError } from '../../../edge/triggers/trigger-rejected-error.ts'
import { requireAllowedFields } from '../../../edge/triggers/trigger-rules.ts'
import {
  DEFAULT_PARAMS_MAX_BYTES,
  JSON_DEPTH_MAX,
  PASS_HEADERS_MAX,
  TRIGGER_SOURCE_MAX_BYTES,
} from '../../../shared/limits.ts'
import { patchTriggerRequest, TRIGGER_KINDS } from '../../../shared/wire/trigger.ts'

type Kind = (typeof TRIGGER_KINDS)[number]

const CHAINS: Chains = { base: { chainId: 8453, rpc: [], finality: 12, pollMs: 2_000 } }

function refusedField(kind: Kind, body: object): string | undefined {
  try {
    requireAllowedFields(kind, patchTriggerRequest.parse(body), CHAINS)
  } catch (error) {
    if (error instanceof TriggerRejectedError && error.failure.reason === 'field')
      return error.failure.field
    throw error
  }
}

const nested = (levels: number): object => {
  let value: object = {}
  for (let level = 1; level < levels; level++) value = { deeper: value }
  return value
}

describe('fields of a trigger kind', () => {
  it.each<[Kind, object, string | undefined]>([
    ['webhook', {}, undefined],
    ['webhook', { config: {} }, undefined],
    ['webhook', { config: { cron: '0 * * * *' } }, 'config'],
    ['webhook', { options: { dedup: true, handshake: 'slack', concurrency: 64 } }, undefined],
    ['webhook', { options: { on_lost: 'retry' } }, undefined],
    ['webhook', { options: { misfire: 'skip' } }, 'options.misfire'],
    ['schedule', { config: { cron: '0 * * * *' } }, undefined],
    ['schedule', { config: {} }, 'config.cron'],
    ['schedule', { config: { cron: '* * * * * *' } }, 'config.cron'],
    ['schedule', { config: { cron: '0 * * * *', zone: 'UTC' } }, 'config.zone'],
    ['schedule', { options: { misfire: 'all', on_lost: 'retry', concurrency: 2 } }, undefined],
    ['webhook', { options: { dedup: { header: 'Authorization' } } }, 'options.dedup.header'],
    ['webhook', { options: { pass_headers: ['X-Custom', 'x_other'] } }, undefined],
    ['webhook', { options: { pass_headers: [] } }, undefined],
    ['webhook', { options: { pass_headers: ['cf-webhook-auth'] } }, undefined],
    ['schedule', { options: { pass_headers: ['x-custom'] } }, 'options.pass_headers'],
    ['chain_event', { options: { pass_headers: ['x-custom'] } }, 'options.pass_headers'],
    ['schedule', { options: { dedup: true } }, 'options.dedup'],
    ['schedule', { options: { dedup: { header: 'x-id' } } }, 'options.dedup'],
    ['schedule', { options: { handshake: 'slack' } }, 'options.handshake'],
    ['webhook', { options: { finality: 'safe' } }, 'options.finality'],
    ['schedule', { options: { finality: 3 } }, 'options.finality'],
    ['chain_event', { options: { finality: 'finalized', concurrency: 1 } }, undefined],
    ['chain_event', { options: { dedup: true } }, 'options.dedup'],
    ['chain_event', { options: { misfire: 'all' } }, 'options.misfire'],
  ])('%s with %j: %s', (kind, body, field) => {
    expect(refusedField(kind, body)).toBe(field)
  })

  it.each([
    ['Authorization', /authorization carries a credential/],
    ['proxy-authorization', /carries a credential/],
    ['COOKIE', /carries a credential/],
    ['X-Api-Key', /carries a credential/],
    ['X-Forwarded-For', /set by proxies or the platform/],
    ['cf-connecting-ip', /set by proxies or the platform/],
    ['Host', /set by proxies or the platform/],
    ['Transfer-Encoding', /set by proxies or the platform/],
  ])('stolen credential: options.pass_headers rejects %s with a reason', (name, reason) => {
    const options = patchTriggerRequest.parse({ options: { pass_headers: ['x-custom', name] } })
    try {
      requireAllowedFields('webhook', options, CHAINS)
      expect.unreachable()
    } catch (error) {
      expect(toApiError(error)).toMatchObject({
        status: 422,
        message: expect.stringMatching(reason),
        fix: expect.stringMatching(/./),
      })
    }
  })

  it('options.pass_headers are lowercased and deduplicated, with at most 16 header names', () => {
    const parsed = (pass_headers: unknown) =>
      patchTriggerRequest.safeParse({ options: { pass_headers } }).data?.options?.pass_headers
    expect(parsed(['X-B', 'x-a', 'x-b'])).toEqual(['x-b', 'x-a'])
    const names = Array.from({ length: PASS_HEADERS_MAX + 1 }, (_, i) => `x-${i}`)
    expect(parsed(names.slice(1))).toHaveLength(PASS_HEADERS_MAX)
    for (const wrong of [names, 'x-a', [''], ['x a'], ['x:a'], ['x-\u00e4'], [1], ['x'.repeat(65)]])
      expect(parsed(wrong)).toBeUndefined()
  })

  it('default_params may contain keys that an event always overrides', () => {
    const default_params = { source: 'x', event: 'x', event_raw: 'x', headers: 'x', cron: 'x' }
    expect(refusedField('webhook', { default_params })).toBeUndefined()
    expect(refusedField('schedule', { default_params })).toBeUndefined()
  })
})

describe('size limits', () => {
  it('count a source in UTF-8 bytes, not in characters', () => {
    const half = '€'.repeat(Math.floor(TRIGGER_SOURCE_MAX_BYTES / 3))
    expect(refusedField('webhook', { action_code: half })).toBeUndefined()
    expect(refusedField('webhook', { action_code: `${half}€` })).toBe('action_code')
  })

  it('allow default_params of exactly the maximum bytes as JSON', () => {
    const room = DEFAULT_PARAMS_MAX_BYTES - '{"a":""}'.length
    const params = (characters: number) => ({ default_params: { a: 'x'.repeat(characters) } })
    expect(refusedField('webhook', params(room))).toBeUndefined()
    expect(refusedField('webhook', params(room + 1))).toBe('default_params')
  })

  it('allow default_params of exactly the maximum depth', () => {
    const params = (levels: number) => ({ default_params: nested(levels) })
    expect(refusedField('schedule', params(JSON_DEPTH_MAX))).toBeUndefined()
    expect(refusedField('schedule', params(JSON_DEPTH_MAX + 1))).toBe('default_params')
  })
})

describe('the configuration of a chain event', () => {
  const ADDRESS = '0xdAC17F958D2ee523a2206206994597C13D831ec7'
  const TRANSFER = 'Transfer(address,address,uint256)'
  const MARKED = 'event Transfer(address indexed from, address indexed to, uint256 value);'
  const TOPIC = `0x${'0a'.repeat(32)}`
  const usual = { chain: 'base', contract_address: ADDRESS, event_signature: TRANSFER }

  const topics = (count: number) =>
    Array.from({ length: count }, (_, n) => `0x${String(n).padStart(64, '0')}`)

  /** Returns the error message, or `undefined` if the config is accepted. */
  function refused(over: object): string | undefined {
    const config = Object.fromEntries(
      Object.entries({ ...usual, ...over }).filter(([, value]) => value !== undefined),
    )
    try {
      requireAllowedFields('chain_event', { config }, CHAINS)
    } catch (error) {
      const { message, fix } = toApiError(error)
      return `${message} ${fix}`
    }
  }

  it.each<[string, object]>([
    ['an address in lower case', { contract_address: ADDRESS.toLowerCase() }],
    ['an address in upper case', { contract_address: `0x${ADDRESS.slice(2).toUpperCase()}` }],
    ['an address with a wrong checksum', { contract_address: ADDRESS.replace('dAC', 'DAC') }],
    ['spaces in the signature', { event_signature: 'Transfer(address, address, uint256)' }],
    ['the signature as it is declared', { event_signature: MARKED }],
    ['a start block', { start_block: 0 }],
    ['a start block as decimal digits', { start_block: '21000000' }],
    ['a start block as hex digits', { start_block: '0x1406F40' }],
    ['no topic filters', { topic_filters: [] }],
    ['100 topics in each entry', { topic_filters: Array(3).fill(topics(100)) }],
    ['null for the start block and the filters', { start_block: null, topic_filters: null }],
    ['a topic, a list and anything', { topic_filters: [TOPIC, [TOPIC, TOPIC], null] }],
    [
      'a marked signature, and nothing for the argument that is in the data',
      { event_signature: MARKED, topic_filters: [null, TOPIC, null] },
    ],
  ])('accepts %s', (_, over) => {
    expect(refused(over)).toBeUndefined()
  })

  it.each<[string, object, string]>([
    ['another key', { confirmations: 3 }, 'config.confirmations: unknown field'],
    ['no chain', { chain: undefined }, 'config.chain: required'],
    ['another chain', { chain: 'Base' }, 'one of ethereum, base, arbitrum, bsc, polygon'],
    ['a chain without a node', { chain: 'polygon' }, 'It watches base'],
    ['no address', { contract_address: undefined }, 'config.contract_address: required'],
    [
      'a short address',
      { contract_address: '0xabc' },
      'config.contract_address: expected 0x followed by 40',
    ],
    [
      'a name for an address',
      { contract_address: 'usdt.eth' },
      'config.contract_address: expected',
    ],
    ['a list of addresses', { contract_address: [ADDRESS] }, 'config.contract_address: expected a'],
    [
      'the zero address',
      { contract_address: `0x${'0'.repeat(40)}` },
      'the zero address has no contract',
    ],
    ['a list beside an address', { addresses: [ADDRESS] }, 'config.addresses: cannot be combined'],
    [
      'an empty list of addresses',
      { contract_address: undefined, addresses: [] },
      'config.addresses: 0 addresses. Send 1 to 10000',
    ],
    [
      '10,001 addresses',
      { contract_address: undefined, addresses: Array(10_001).fill(ADDRESS) },
      'config.addresses: 10001 addresses',
    ],
    [
      'a short address in a list',
      { contract_address: undefined, addresses: [ADDRESS, '0x12'] },
      'config.addresses[1]: expected 0x followed by 40',
    ],
    ['no signature', { event_signature: undefined }, 'config.event_signature: required'],
    ['a signature that is no text', { event_signature: 5 }, 'config.event_signature: expected a s'],
    ['a hash as signature', { event_signature: TOPIC }, 'config.event_signature: at position 0'],
    ['an unknown type', { event_signature: 'T(address,uint255)' }, 'at position 10'],
    ['an anonymous event', { event_signature: 'event T(address) anonymous' }, 'at position 17'],
    [
      'a start block before the first',
      { start_block: -1 },
      'config.start_block: expected a non-negative integer',
    ],
    ['half a block', { start_block: 1.5 }, 'config.start_block: expected a non-negative'],
    [
      'a block that no chain has',
      { start_block: '9007199254740993' },
      'config.start_block: too large',
    ],
    ['a tag for a block', { start_block: 'latest' }, 'config.start_block: expected an integer, or'],
    [
      'a start block in a list',
      { start_block: [5] },
      'config.start_block: expected an integer, or',
    ],
    [
      'one topic without a list',
      { topic_filters: TOPIC },
      'config.topic_filters: expected an array',
    ],
    [
      'four topics',
      { topic_filters: [TOPIC, null, null, null] },
      'config.topic_filters: 4 entries',
    ],
    ['an empty list', { topic_filters: [null, []] }, 'config.topic_filters[1]: an empty array'],
    [
      '101 topics',
      { topic_filters: [Array(101).fill(TOPIC)] },
      'config.topic_filters[0]: 101 topics',
    ],
    [
      'an address for a topic',
      { topic_filters: [ADDRESS] },
      `Send 0x${'0'.repeat(24)}dac17f958d2ee5`,
    ],
    [
      'an address in a list',
      { topic_filters: [null, [TOPIC, ADDRESS]] },
      'topic_filters[1][1]: expected',
    ],
    ['a number for a topic', { topic_filters: ['255'] }, `Send 0x${'0'.repeat(62)}ff`],
    ['a negative number', { topic_filters: [-1] }, `Send 0x${'f'.repeat(64)}`],
    [
      'a list in a list',
      { topic_filters: [[[TOPIC]]] },
      'config.topic_filters[0][0]: expected a 32',
    ],
    [
      'a short topic',
      { topic_filters: [TOPIC.slice(0, -2)] },
      'config.topic_filters[0]: expected a 32',
    ],
    [
      'a topic for what is not marked',
      { event_signature: MARKED, topic_filters: [null, null, TOPIC] },
      'config.topic_filters[2]: event_signature marks 2',
    ],
    [
      'a topic for no argument',
      { event_signature: 'Paused(address)', topic_filters: [null, TOPIC] },
      'config.topic_filters[1]: event_signature has 1',
    ],
  ])('rejects %s with a reason', (_, over, words) => {
    expect(refused(over)).toContain(words)
  })

  it('reports a chain without a node with a separate error', () => {
    const config = { ...usual, chain: 'polygon' }
    const refuse = () => requireAllowedFields('chain_event', { config }, CHAINS)
    expect(refuse).toThrow(TriggerRejectedError)
    const failure = new TriggerRejectedError({
      reason: 'chain_not_configured',
      chain: 'polygon',
      configured: [],
    })
    expect(toApiError(failure)).toMatchObject({ status: 422, error: 'chain_not_configured' })
  })

  it('is normalized, however it is written', () => {
    const written = {
      ...usual,
      start_block: '0x10',
      topic_filters: [null, [TOPIC.toUpperCase().replace('X', 'x'), TOPIC], null],
    }
    expect(readChainEventConfig(written)).toMatchObject({
      filter: { address: ADDRESS.toLowerCase(), topics: [null, [TOPIC]] },
      startBlock: 16,
    })
    const same = {
      ...usual,
      contract_address: ADDRESS.toLowerCase(),
      start_block: 16,
      topic_filters: [null, TOPIC],
    }
    const other = { ...same, start_block: 17 }
    expect(watchesSameEvents(readChainEventConfig(written), readChainEventConfig(same))).toBe(true)
    expect(watchesSameEvents(readChainEventConfig(written), readChainEventConfig(other))).toBe(
      false,
    )
  })
})
