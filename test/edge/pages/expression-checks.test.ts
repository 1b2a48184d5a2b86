import { describe, expect, it } from 'vitest'
import { createTrigger, edge, fire } from '../app.ts'
import { FROM_US, Person, textOf } from './person.ts'

const PATH = '/triggers/preview/expressions'

const person = await Person.signedIn()
const token = async (who = person) => {
  const { text } = await who.get('/triggers/new?kind=webhook')
  return /data-check-csrf="([^"]*)"/.exec(text)![1]!
}
const ask = async (body: object, who = person) => who.ask(PATH, { csrf: await token(who), ...body })
const check = async (body: object) => JSON.parse((await ask(body)).text)

describe('checking expressions while the user types', () => {
  it('returns the syntax error of each expression', async () => {
    const expressions = { filter: 'event.a ==', order_key: 'nothing(', dedup_key: 'event.id' }
    expect(await check({ expressions })).toEqual({
      problems: { filter: expect.stringMatching(/./), order_key: expect.stringMatching(/./) },
    })
  })

  it('evaluates valid expressions on a sample event', async () => {
    const expressions = { filter: 'event.amount > 5.0', dedup_key: 'event.id', order_key: '(' }
    const checked = await check({ expressions, sample_event: '{"amount": 7.5}' })
    expect(Object.keys(checked.problems)).toEqual(['order_key'])
    expect(checked.sample).toEqual({
      filter: { value: true },
      dedup_key: { error: expect.stringContaining('id') },
    })
  })

  it('evaluates expressions on the latest events of a trigger, newest first', async () => {
    const { id } = await createTrigger(person.owner)
    for (const amount of [1, 9]) await fire(id, JSON.stringify({ amount }))
    const checked = await check({
      expressions: { filter: 'event.amount > 5.0', concurrency_key: 'event.amount' },
      trigger_id: id,
    })
    expect(checked.problems).toEqual({})
    expect(checked.recent.map(({ expressions }: any) => expressions)).toEqual([
      { filter: { value: true }, concurrency_key: { value: '9' } },
      { filter: { value: false }, concurrency_key: { value: '1' } },
    ])
    const wrong = await check({ expressions: { filter: '(' }, trigger_id: id })
    expect(wrong.problems.filter).toBeDefined()
    expect(wrong.recent.map(({ expressions }: any) => expressions)).toEqual([{}, {}])
  })

  it('IDOR: does not evaluate expressions on events of another user', async () => {
    const victim = await Person.signedIn()
    const { id } = await createTrigger(victim.owner)
    await fire(id, JSON.stringify({ secret: 'theirs' }))
    const answer = await ask({ expressions: { dedup_key: 'event.secret' }, trigger_id: id })
    expect(answer.status).toBe(404)
    expect(answer.text).not.toContain('theirs')
    const unknown = await ask({ expressions: { filter: 'true' }, trigger_id: 'x' })
    expect(unknown.status).toBe(404)
  })

  it('CSRF: answers only pages of this site with the token of the session', async () => {
    const csrf = await token()
    const body = { csrf, expressions: { filter: 'true' } }
    const other = await Person.signedIn()
    const refused = [
      await person.ask(PATH, body, { origin: 'https://evil.test' }),
      await person.ask(PATH, body, {}),
      await other.ask(PATH, body),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403])
    const headers = { ...FROM_US, 'content-type': 'application/json' }
    const signedOut = await edge(PATH, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(signedOut.status).toBe(401)
  })

  it('refuses unknown options, and texts that are too long', async () => {
    for (const body of [
      { expressions: { on_lost: 'fail' } },
      { expressions: { filter: 'x'.repeat(5_000) } },
      { expressions: { filter: 'true' }, default_params: {} },
    ])
      expect((await ask(body)).status).toBe(422)
  })
})

describe('the form', () => {
  it('has a sample event for a new webhook only, which is not sent', async () => {
    const fresh = await person.get('/triggers/new?kind=webhook')
    expect(fresh.text).toMatch(/<textarea[^>]*form="not-sent"[^>]*id="sample_event"/)
    const schedule = await person.get('/triggers/new?kind=schedule')
    expect(schedule.text).not.toContain('sample_event')
    const { id } = await createTrigger(person.owner)
    const edit = await person.get(`/triggers/${id}/edit`)
    expect(edit.text).not.toContain('sample_event')
    expect(edit.text).toContain(`data-trigger-id="${id}"`)
    expect(textOf(edit.text)).toContain('Expressions are checked while you type.')
  })
})
