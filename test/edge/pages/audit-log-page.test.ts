import { describe, expect, it, vi } from 'vitest'
import type { TriggerLogPage } from '../../../shared/wire/trigger-log.ts'
import { edge } from '../app.ts'
import { FROM_US, hidden, Person, textOf } from './person.ts'

const PATH = '/audit-log'

/** Waits until the log of the person has this number of entries. */
const logged = (person: Person, count: number) =>
  vi.waitUntil(
    async () => {
      const page: TriggerLogPage = await (await person.owner.api('/api/audit-log')).json()
      return page.head.sequence >= count
    },
    { timeout: 15_000, interval: 20 },
  )

const rename = (person: Person, id: string, name: string) =>
  person.owner.api(`/api/triggers/${id}`, {
    method: 'PATCH',
    body: JSON.stringify({ name }),
    headers: { 'content-type': 'application/json' },
  })

describe('the page of changes of triggers', () => {
  it('shows who changed which fields, and leads to the trigger', async () => {
    const person = await Person.signedIn()
    expect(textOf((await person.get(PATH)).text)).toContain('No changes yet.')
    const { id } = await person.trigger({ name: 'first' })
    await rename(person, id, 'second')
    const csrf = hidden(await person.get('/triggers'), 'csrf', `/triggers/${id}/disable`)
    await person.post(`/triggers/${id}/disable`, { csrf })
    await logged(person, 3)
    const { text } = await person.get(PATH)
    const shown = textOf(text)
    expect(shown).toMatch(/Changed: second.*by you, in the console.*enabled ?true → false/s)
    expect(shown).toMatch(/by access token.*from 127\.0\.0\.1.*name ?first → second/s)
    expect(shown).toMatch(/Created: first.*usage_api_key ?changed; the value is not logged/s)
    expect(text).toContain(`href="/triggers/${id}"`)
  })

  it('filters by change, actor and trigger, and keeps the filter on further pages', async () => {
    const person = await Person.signedIn()
    const { id } = await person.trigger({ name: 'often changed' })
    await person.trigger({ name: 'left alone' })
    for (let n = 0; n < 26; n++) await rename(person, id, `name ${n}`)
    await logged(person, 28)
    const items = async (query: string) => {
      const { text } = await person.get(`${PATH}${query}`)
      return [...text.matchAll(/<h3>.*?<\/h3>/gs)].map(([title]) => textOf(title))
    }
    expect(await items('?operation=create_trigger&actor=')).toEqual([
      'Created: left alone',
      'Created: often changed',
    ])
    expect(await items('?actor=session')).toEqual([])
    expect(await items(`?trigger_id=${id}`)).toHaveLength(25)
    const { text } = await person.get(`${PATH}?trigger_id=${id}`)
    const next = /<a href="([^"]*)" rel="next">/.exec(text)![1]!.replaceAll('&amp;', '&')
    expect(await items(next.slice(PATH.length))).toEqual([
      'Changed: name 0',
      'Created: often changed',
    ])
    for (const invalid of ['?operation=x', '?actor=%00', '?trigger_id=x', '?page_number=-1'])
      expect([invalid, (await items(invalid)).length]).toEqual([invalid, 25])
  })

  it('XSS: shows names, values and names of programs as text', async () => {
    const person = await Person.signedIn()
    const hostile = '<img src=x onerror=alert(1)>\u202Elive'
    const { id } = await person.trigger({ name: hostile })
    await rename(person, id, `${hostile}2`)
    await logged(person, 2)
    const { text } = await person.get(PATH)
    expect(text).not.toContain('<img')
    expect(text).not.toContain('\u202E')
    expect(textOf(text)).toContain('<img src=x onerror=alert(1)>‹U+202E›live2')
  })
})

describe('the entries for the script of the page', () => {
  it('are those of the API, in pages', async () => {
    const person = await Person.signedIn()
    await person.trigger()
    await person.trigger()
    await logged(person, 2)
    const api = await (await person.owner.api('/api/audit-log')).json()
    const whole = await person.get(`${PATH}/entries?page_size=200&page_number=0`)
    expect(JSON.parse(whole.text)).toEqual(api)
    const second: TriggerLogPage = JSON.parse(
      (await person.get(`${PATH}/entries?page_size=1&page_number=1`)).text,
    )
    expect(second.entries.map(({ sequence }) => sequence)).toEqual([1])
  })

  it('IDOR: contain no changes of other users', async () => {
    const victim = await Person.signedIn()
    await victim.trigger()
    await logged(victim, 1)
    const { text } = await (await Person.signedIn()).get(`${PATH}/entries`)
    expect(JSON.parse(text)).toEqual({ entries: [], head: { sequence: 0, sha256: null } })
  })

  it('CROSS-SITE READ: are not sent to other sites, without a session, or to caches', async () => {
    const person = await Person.signedIn()
    const other = await person.get(`${PATH}/entries`, { 'sec-fetch-site': 'cross-site' })
    expect(other.status).toBe(403)
    expect((await edge(`${PATH}/entries`, { headers: FROM_US })).status).toBe(401)
    const { response } = await person.get(`${PATH}/entries`)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await edge(PATH, { redirect: 'manual' })).headers.get('location')).toBe(
      '/sign-in?next=%2Faudit-log',
    )
  })
})
