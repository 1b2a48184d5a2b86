import { describe, expect, it } from 'vitest'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import { sql } from '../app.ts'
import { hidden, Person, textOf } from './person.ts'
import { fieldError, formsOf } from './typed-forms.ts'

const person = await Person.signedIn()
const { read } = formsOf(person)

describe('the form of an existing trigger', () => {
  const open = async (id: string, who = person) => who.get(`/triggers/${id}/edit`)
  const fieldsShown = async (id: string): Promise<Record<string, string>> => {
    const page = await open(id)
    return { csrf: hidden(page, 'csrf'), seen: hidden(page, 'seen') }
  }
  /** Returns the fields that a browser would submit for the unchanged page. */
  const asShown = (record: TriggerRecord) => ({
    name: record.name,
    action_code: record.action_code,
    usage_api_key: '',
    default_params: JSON.stringify(record.default_params),
    max_runs_per_minute: String(record.max_runs_per_minute),
    max_queued_runs: String(record.max_queued_runs),
  })

  it('contains everything except the key', async () => {
    const { id } = await person.trigger({
      name: 'to be changed',
      usage_api_key: 'usage-hidden-key',
      default_params: { secret: 'shown to its owner' },
      options: { dedup: true, on_lost: 'retry', pass_headers: ['x-a', 'x-b'] },
    })
    const { text } = await open(id)
    expect(text).toContain('value="to be changed"')
    expect(text).toContain('shown to its owner')
    expect(text).toMatch(/<option value="known" selected="">/)
    expect(text).toContain('value="x-a x-b"')
    expect(text).not.toContain('usage-hidden-key')
    expect(text).toMatch(/<input type="password"[^>]*name="usage_api_key"/)
    expect(/<input type="password"[^>]*>/.exec(text)![0]).not.toContain('value=')
  })

  it('saves the changed fields and nothing else', async () => {
    const before = await person.trigger({ max_runs_per_minute: 7, default_params: { b: [1] } })
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), name: 'renamed' }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect(page.response.headers.get('location')).toBe(`/triggers/${before.id}?changed=1`)
    const { updated_at: _, ...after } = await read(before.id)
    const { updated_at: __, ...rest } = before
    expect(after).toEqual({ ...rest, name: 'renamed', stats: after.stats })
    const keys = await sql(before.id, 'SELECT count(*) AS n FROM revisions')
    expect(keys).toEqual([{ n: 1 }])
  })

  it('keeps the list of contracts of a chain event', async () => {
    const addresses = ['51', '52', '53'].map((byte) => `0x${byte.repeat(20)}`)
    const event = { chain: 'arbitrum', event_signature: 'Paid(address,address,uint256)' }
    const config = { ...event, addresses }
    const before = await person.trigger({ kind: 'chain_event', config, enabled: false })
    expect(textOf((await open(before.id)).text)).toContain(addresses.slice(1).join('\n'))
    expect(textOf((await person.get(`/triggers/${before.id}`)).text)).toContain('3 addresses')
    expect(textOf((await person.get('/triggers?kind=chain_event')).text)).toContain('3 contracts')
    const shown = {
      ...event,
      contract_address: addresses[0]!,
      addresses: addresses.slice(1).join('\n'),
    }
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), ...shown }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect(page.response.headers.get('location')).toBe(`/triggers/${before.id}?changed=1`)
    expect((await read(before.id)).config).toMatchObject({ addresses })
  })

  it('keeps the interval of a trigger on blocks', async () => {
    const config = { chain: 'arbitrum', blocks: { every: 4_321 } }
    const before = await person.trigger({ kind: 'chain_event', config, enabled: false })
    expect((await open(before.id)).text).toContain('value="4321"')
    const detail = textOf((await person.get(`/triggers/${before.id}`)).text)
    expect(detail).toContain('numbers divisible by 4321')
    const list = textOf((await person.get('/triggers?kind=chain_event')).text)
    expect(list).toContain('at blocks divisible by 4321 on arbitrum')
    const shown = { chain: 'arbitrum', blocks_every: '4321' }
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), ...shown }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect(page.response.headers.get('location')).toBe(`/triggers/${before.id}?changed=1`)
    expect((await read(before.id)).config).toEqual(config)
  })

  it('keeps the transactions of a trigger', async () => {
    const [to, from] = [2, 3].map((party) => `0x${String(party).repeat(40)}`) as [string, string]
    const transactions = { to: [to, from], from, selector: '0xa9059cbb', status: 'any' }
    const config = { chain: 'arbitrum', transactions: { ...transactions, min_value: '7' } }
    const before = await person.trigger({ kind: 'chain_event', config, enabled: false })
    expect((await open(before.id)).text).toContain(`value="${to} ${from}"`)
    const detail = textOf((await person.get(`/triggers/${before.id}`)).text)
    expect(detail).toContain('Minimum value in wei7')
    const list = textOf((await person.get('/triggers?kind=chain_event')).text)
    expect(list).toContain(`on transactions from ${from} to 2 addresses on arbitrum`)
    const shown = {
      chain: 'arbitrum',
      transactions_to: `${to} ${from}`,
      transactions_from: from,
      transactions_selector: '0xa9059cbb',
      transactions_min_value: '7',
      transactions_status: 'any',
    }
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), ...shown }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect(page.response.headers.get('location')).toBe(`/triggers/${before.id}?changed=1`)
    expect((await read(before.id)).config).toEqual(config)
  })

  it('keeps the factory of a chain event', async () => {
    const factory = {
      address: `0x${'51'.repeat(20)}`,
      event: 'PoolMade(address indexed token, address pool)',
      parameter: 'pool',
    }
    const event = { chain: 'arbitrum', event_signature: 'Paid(address,address,uint256)' }
    const config = { ...event, factory }
    const before = await person.trigger({ kind: 'chain_event', config, enabled: false })
    expect((await open(before.id)).text).toContain(`value="${factory.event}"`)
    const detail = textOf((await person.get(`/triggers/${before.id}`)).text)
    expect(detail).toContain(`Event of the factory${factory.event}`)
    expect(detail).not.toContain('undefined')
    const list = textOf((await person.get('/triggers?kind=chain_event')).text)
    expect(list).toContain(`from contracts of ${factory.address} on arbitrum`)
    const shown = {
      ...event,
      factory_address: factory.address,
      factory_event: factory.event,
      factory_parameter: factory.parameter,
    }
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), ...shown }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect(page.response.headers.get('location')).toBe(`/triggers/${before.id}?changed=1`)
    expect((await read(before.id)).config).toEqual(config)
  })

  it('keeps the conditions of a chain event', async () => {
    const where = {
      arg2: { gte: '5', lt: '9' },
      arg0: { in: [`0x${'51'.repeat(20)}`, `0x${'52'.repeat(20)}`] },
    }
    const config = {
      chain: 'arbitrum',
      contract_address: `0x${'51'.repeat(20)}`,
      event_signature: 'Paid(address,address,uint256)',
      where,
    }
    const before = await person.trigger({ kind: 'chain_event', config, enabled: false })
    const lines = ['arg2 >= 5', 'arg2 < 9', `arg0 = ${where.arg0.in.join(', ')}`].join('\n')
    expect(textOf((await open(before.id)).text)).toContain(lines)
    const { where: _, ...fields } = config
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), ...fields, where: lines }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect(page.response.headers.get('location')).toBe(`/triggers/${before.id}?changed=1`)
    expect((await read(before.id)).config).toMatchObject({ where })
  })

  it('warns if the stored key may not execute the new source', async () => {
    const before = await person.trigger({ usage_api_key: 'forbidden-key' })
    const source = `${before.action_code} `
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), action_code: source }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    const path = page.response.headers.get('location')!
    expect(path).toBe(`/triggers/${before.id}?changed=1&key=not_permitted`)
    const { action_cid } = await read(before.id)
    expect(action_cid).not.toBe(before.action_cid)
    expect(textOf((await person.get(path)).text)).toContain(`cannot execute ${action_cid}.`)
  })

  it('changes nothing if it is saved unchanged', async () => {
    const before = await person.trigger({ kind: 'schedule', config: { cron: '0 0 * * *' } })
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), cron: '0 0 * * *' }
    expect((await person.post(`/triggers/${before.id}/edit`, form)).status).toBe(303)
    expect((await read(before.id)).updated_at).toBe(before.updated_at)
  })

  it('asks for confirmation if the trigger was changed since the form was opened', async () => {
    const before = await person.trigger()
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), name: 'mine' }
    const init = { method: 'PATCH', headers: { 'content-type': 'application/json' } }
    await person.owner.api(`/api/triggers/${before.id}`, { ...init, body: '{"name":"theirs"}' })
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect(page.status).toBe(409)
    expect(textOf(page.text)).toContain('after this form was opened')
    expect(page.text).toContain('value="mine"')
    expect((await read(before.id)).name).toBe('theirs')
    const again = { ...form, csrf: hidden(page, 'csrf'), seen: hidden(page, 'seen') }
    expect((await person.post(`/triggers/${before.id}/edit`, again)).status).toBe(303)
    expect((await read(before.id)).name).toBe('mine')
  })

  it('shows an error next to its field, and changes nothing', async () => {
    const before = await person.trigger({ kind: 'schedule', config: { cron: '0 0 * * *' } })
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), cron: 'x' }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect([page.status, fieldError(page, 'cron') !== '']).toEqual([422, true])
    expect((await read(before.id)).config).toEqual({ cron: '0 0 * * *' })
  })
})

describe('the buttons of a trigger', () => {
  const press = async (id: string, action: string, from: string, more: object = {}) => {
    const path = `/triggers/${id}/${action}`
    return person.post(path, { csrf: hidden(await person.get(from), 'csrf', path), ...more })
  }

  it('pause and resume it, with a message in the list', async () => {
    const { id } = await person.trigger()
    const paused = await press(id, 'disable', '/triggers', { from: 'list' })
    expect(paused.response.headers.get('location')).toBe('/triggers?disabled=1')
    expect((await read(id)).enabled).toBe(false)
    expect(textOf((await person.get('/triggers?disabled=1')).text)).toContain('Trigger paused.')
    const resumed = await press(id, 'enable', '/triggers')
    expect(resumed.response.headers.get('location')).toBe(`/triggers/${id}?enabled=1`)
    expect((await read(id)).enabled).toBe(true)
  })

  it('delete it after a warning', async () => {
    const { id } = await person.trigger()
    const page = await person.get(`/triggers/${id}/edit`)
    expect(textOf(page.text)).toContain('This cannot be undone')
    const deleted = await press(id, 'delete', `/triggers/${id}/edit`)
    expect(deleted.response.headers.get('location')).toBe('/triggers?deleted=1')
    expect((await person.owner.api(`/api/triggers/${id}`)).status).toBe(404)
  })
})
