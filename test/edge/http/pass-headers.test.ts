import { describe, expect, it } from 'vitest'
import {
  createTrigger,
  fire,
  kill,
  type Owner,
  readRun,
  runOnce,
  seen,
  someOwner,
  sql,
} from '../app.ts'

const owner: Owner = await someOwner()

const passing = (...pass_headers: string[]) => createTrigger(owner, { options: { pass_headers } })

/** Returns the headers that the action received, and those in the run history. */
async function headersOf(id: string, headers: Record<string, string>, path = '') {
  const run = await fire(`${id}${path}`, '{}', { headers })
  const { input } = await runOnce(owner, run)
  const [call] = await seen(run)
  const received = (call!.params as { headers: Record<string, string> }).headers
  return { run, received, shown: input.headers as Record<string, string> }
}

describe('a header in options.pass_headers', () => {
  it('reaches the action, unlike headers that are not listed', async () => {
    const { id, options } = await passing('X-Custom', 'x-absent')
    expect(options).toEqual({ pass_headers: ['x-custom', 'x-absent'] })
    const { received } = await headersOf(id, {
      'X-Custom': 'a',
      'x-other': 'b',
      'x-signature': 'c',
    })
    expect(received).toMatchObject({ 'x-custom': 'a', 'x-signature': 'c' })
    expect(received).not.toHaveProperty('x-other')
    expect(received).not.toHaveProperty('x-absent')
  })

  it('history leak: is masked in the run, the list and a replay', async () => {
    const { id } = await passing('x-custom', 'x-event-id')
    const sent = { 'x-custom': 'canary-1', 'x-event-id': 'canary-2', 'x-event-type': 'order' }
    const { run, received, shown } = await headersOf(id, sent)
    expect(received).toMatchObject(sent)
    // The value is masked even if the header rules would show it.
    expect(shown).toMatchObject({
      'x-custom': 'REDACTED',
      'x-event-id': 'REDACTED',
      'x-event-type': 'order',
    })
    const replayed: { run_id: string } = await (
      await owner.api(`/api/runs/${run}/replay`, { method: 'POST' })
    ).json()
    await runOnce(owner, replayed.run_id)
    expect((await seen(replayed.run_id))[0]!.params).toMatchObject({ headers: sent })
    const list = await (await owner.api(`/api/triggers/${id}/runs`)).text()
    expect(list.split('REDACTED')).toHaveLength(5)
    expect(list).not.toMatch(/canary/)
  })

  it('stays masked in old runs after it is removed from the option', async () => {
    const { id } = await passing('x-custom')
    const { run } = await headersOf(id, { 'x-custom': 'canary' })
    const init = {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"options":{}}',
    }
    expect((await owner.api(`/api/triggers/${id}`, init)).status).toBe(200)
    expect((await readRun(owner, run)).input.headers).toMatchObject({ 'x-custom': 'REDACTED' })
    const later = await headersOf(id, { 'x-custom': 'canary' })
    expect(later.received).not.toHaveProperty('x-custom')
  })

  it('stolen credential: is denied although it is stored in the option', async () => {
    const { id } = await passing('x-custom')
    // Simulates an option that was stored before the header was denied.
    const names = '{"pass_headers":["authorization","cf-connecting-ip","x-custom"]}'
    await sql(id, 'UPDATE trigger SET options = ?', names)
    await kill(id)
    const sent = { authorization: 'Bearer canary', 'cf-connecting-ip': '198.51.100.7' }
    const { received } = await headersOf(id, { ...sent, 'x-custom': 'a' })
    expect(received).toMatchObject({ 'x-custom': 'a' })
    expect(JSON.stringify(received)).not.toMatch(/canary|198\.51/)
  })

  it('works together with dedup and handshake', async () => {
    const options = { pass_headers: ['x-mine'], dedup: { header: 'x-mine' }, handshake: 'slack' }
    const { id } = await createTrigger(owner, { options })
    const { run, received } = await headersOf(id, { 'x-mine': 'first' })
    expect(received['x-mine']).toBe('first')
    expect(await fire(id, '{}', { headers: { 'x-mine': 'first' } })).toBe(run)
  })

  it('prototype pollution: may be named __proto__', async () => {
    const { id } = await passing('__proto__', 'constructor')
    const run = await fire(id, '{}', {
      headers: { ['__proto__']: 'canary', constructor: 'canary' },
    })
    const text = JSON.stringify(await runOnce(owner, run))
    expect(text).toContain('"__proto__":"REDACTED"')
    expect(text).toContain('"constructor":"REDACTED"')
    expect(text).not.toContain('canary')
  })

  it('is reported as truncated if it exceeds the size limit', async () => {
    const { id } = await passing('x-custom')
    const run = await fire(id, '{}', { headers: { 'x-custom': 'x'.repeat(8 * 1024 + 1) } })
    const { input } = await runOnce(owner, run)
    expect(input.headers_truncated).toBe(true)
    expect(input.headers).not.toHaveProperty('x-custom')
  })
})

it.each([
  [['authorization'], /options\.pass_headers: authorization carries a credential/],
  [['x-a', 'CF-Ray'], /options\.pass_headers: cf-ray is set by proxies or the platform/],
  [['not a name'], /options\.pass_headers/],
  [Array.from({ length: 17 }, (_, i) => `x-${i}`), /options\.pass_headers/],
])('rejects options.pass_headers %j with 422 and a reason', async (pass_headers, reason) => {
  const { id } = await createTrigger(owner)
  const response = await owner.api(`/api/triggers/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ options: { pass_headers } }),
  })
  expect(response.status).toBe(422)
  const { message, fix }: { message: string; fix: string } = await response.json()
  expect(message).toMatch(reason)
  expect(fix).toMatch(/./)
})
