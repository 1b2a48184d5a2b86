import { describe, expect, it } from 'vitest'
import type { TriggerRecord } from '../../../../shared/wire/trigger.ts'
import { sql } from '../../app.ts'
import { hidden, Person, textOf } from './person.ts'
import { fieldError, formsOf } from './typed-forms.ts'

const person = await Person.signedIn()
const { read } = formsOf(person)

describe('the form of a trigger that is there', () => {
  const open = async (id: string, who = person) => who.get(`/triggers/${id}/edit`)
  const fieldsShown = async (id: string): Promise<Record<string, string>> => {
    const page = await open(id)
    return { csrf: hidden(page, 'csrf'), seen: hidden(page, 'seen') }
  }
  /** What a browser would send of the page as it is. */
  const asShown = (record: TriggerRecord) => ({
    name: record.name,
    action_code: record.action_code,
    usage_api_key: '',
    default_params: JSON.stringify(record.default_params),
    max_runs_per_minute: String(record.max_runs_per_minute),
    max_queued_runs: String(record.max_queued_runs),
  })

  it('has all of it but the key', async () => {
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

  it('changes what was changed, and nothing else', async () => {
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

  it('says so where the key that it has may not run the source that it gets', async () => {
    const before = await person.trigger({ usage_api_key: 'forbidden-key' })
    const source = `${before.action_code} `
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), action_code: source }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    const path = page.response.headers.get('location')!
    expect(path).toBe(`/triggers/${before.id}?changed=1&key=not_permitted`)
    const { action_cid } = await read(before.id)
    expect(action_cid).not.toBe(before.action_cid)
    expect(textOf((await person.get(path)).text)).toContain(`may not execute ${action_cid} now`)
  })

  it('saved without a change, changes nothing', async () => {
    const before = await person.trigger({ kind: 'schedule', config: { cron: '0 0 * * *' } })
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), cron: '0 0 * * *' }
    expect((await person.post(`/triggers/${before.id}/edit`, form)).status).toBe(303)
    expect((await read(before.id)).updated_at).toBe(before.updated_at)
  })

  it('asks again where it was changed since the form was opened, and says when', async () => {
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

  it('tells what is wrong beside its field, and changes nothing', async () => {
    const before = await person.trigger({ kind: 'schedule', config: { cron: '0 0 * * *' } })
    const form = { ...(await fieldsShown(before.id)), ...asShown(before), cron: 'x' }
    const page = await person.post(`/triggers/${before.id}/edit`, form)
    expect([page.status, fieldError(page, 'cron') !== '']).toEqual([422, true])
    expect((await read(before.id)).config).toEqual({ cron: '0 0 * * *' })
  })
})

describe('what is pressed beside a trigger', () => {
  const press = async (id: string, action: string, from: string, more: object = {}) => {
    const path = `/triggers/${id}/${action}`
    return person.post(path, { csrf: hidden(await person.get(from), 'csrf', path), ...more })
  }

  it('pauses it and lets it go on, and the list says so', async () => {
    const { id } = await person.trigger()
    const paused = await press(id, 'disable', '/triggers', { from: 'list' })
    expect(paused.response.headers.get('location')).toBe('/triggers?disabled=1')
    expect((await read(id)).enabled).toBe(false)
    expect(textOf((await person.get('/triggers?disabled=1')).text)).toContain(
      'The trigger is paused',
    )
    const resumed = await press(id, 'enable', '/triggers')
    expect(resumed.response.headers.get('location')).toBe(`/triggers/${id}?enabled=1`)
    expect((await read(id)).enabled).toBe(true)
  })

  it('deletes it after saying what is lost', async () => {
    const { id } = await person.trigger()
    const page = await person.get(`/triggers/${id}/edit`)
    expect(textOf(page.text)).toContain('Nothing brings them back')
    const deleted = await press(id, 'delete', `/triggers/${id}/edit`)
    expect(deleted.response.headers.get('location')).toBe('/triggers?deleted=1')
    expect((await person.owner.api(`/api/triggers/${id}`)).status).toBe(404)
  })
})
