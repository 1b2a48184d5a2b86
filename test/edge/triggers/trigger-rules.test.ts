import { describe, expect, it } from 'vitest'
import { TriggerRefused } from '../../../edge/triggers/trigger-refused.ts'
import { requireAllowed } from '../../../edge/triggers/trigger-rules.ts'
import {
  DEFAULT_PARAMS_MAX_BYTES,
  JSON_DEPTH_MAX,
  TRIGGER_SOURCE_MAX_BYTES,
} from '../../../shared/limits.ts'
import { patchTriggerRequest, TRIGGER_KINDS } from '../../../shared/wire/trigger.ts'

type Kind = (typeof TRIGGER_KINDS)[number]

/** The field that is refused, or `undefined`. */
function refusedField(kind: Kind, body: object): string | undefined {
  try {
    requireAllowed(kind, patchTriggerRequest.parse(body))
  } catch (error) {
    if (error instanceof TriggerRefused && error.failure.reason === 'field')
      return error.failure.field
    throw error
  }
}

const nested = (levels: number): object => {
  let value: object = {}
  for (let level = 1; level < levels; level++) value = { deeper: value }
  return value
}

describe('what a kind of trigger takes', () => {
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
    ['schedule', { options: { dedup: true } }, 'options.dedup'],
    ['schedule', { options: { dedup: { header: 'x-id' } } }, 'options.dedup'],
    ['schedule', { options: { handshake: 'slack' } }, 'options.handshake'],
    ['chain_event', {}, 'kind'],
  ])('%s with %j: %s', (kind, body, field) => {
    expect(refusedField(kind, body)).toBe(field)
  })

  it('default_params may have the keys that an event always wins over', () => {
    const default_params = { source: 'x', event: 'x', event_raw: 'x', headers: 'x', cron: 'x' }
    expect(refusedField('webhook', { default_params })).toBeUndefined()
    expect(refusedField('schedule', { default_params })).toBeUndefined()
  })
})

describe('sizes', () => {
  it('counts a source in bytes of UTF-8, not in characters', () => {
    const half = '€'.repeat(Math.floor(TRIGGER_SOURCE_MAX_BYTES / 3))
    expect(refusedField('webhook', { action_code: half })).toBeUndefined()
    expect(refusedField('webhook', { action_code: `${half}€` })).toBe('action_code')
  })

  it('takes default_params of exactly the most bytes, as JSON, and not one more', () => {
    const room = DEFAULT_PARAMS_MAX_BYTES - '{"a":""}'.length
    const params = (characters: number) => ({ default_params: { a: 'x'.repeat(characters) } })
    expect(refusedField('webhook', params(room))).toBeUndefined()
    expect(refusedField('webhook', params(room + 1))).toBe('default_params')
  })

  it('takes default_params of the most levels, and not one more', () => {
    const params = (levels: number) => ({ default_params: nested(levels) })
    expect(refusedField('schedule', params(JSON_DEPTH_MAX))).toBeUndefined()
    expect(refusedField('schedule', params(JSON_DEPTH_MAX + 1))).toBe('default_params')
  })
})
