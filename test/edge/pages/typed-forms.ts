/** Submits the trigger forms as a user would. */
import { expect } from 'vitest'
import type { TriggerRecord } from '../../../shared/wire/trigger.ts'
import { hidden, type Page, type Person, textOf } from './person.ts'

/** Returns functions that act as `person` by default. */
export const formsOf = (person: Person) => ({
  submitNew: (kind: string, form: Record<string, string>, who = person) =>
    submitNew(kind, form, who),
  read: (id: string, who = person) => read(id, who),
  created: (page: Page, who = person) => created(page, who),
})

async function submitNew(kind: string, form: Record<string, string>, who: Person): Promise<Page> {
  const path = `/triggers/new?kind=${kind}`
  const csrf = hidden(await who.get(path), 'csrf')
  return who.post(path, { csrf, ...form })
}

const read = async (id: string, who: Person): Promise<TriggerRecord> =>
  (await who.owner.api(`/api/triggers/${id}`)).json()

async function created(page: Page, who: Person): Promise<TriggerRecord> {
  expect([page.status, textOf(page.text)]).toEqual([303, ''])
  const path = page.response.headers.get('location')!
  return read(/^\/triggers\/([^?]+)\?created=1/.exec(path)![1]!, who)
}

export const fieldError = ({ text }: Page, name: string) =>
  textOf(new RegExp(`id="${name}-error"[^>]*>([^<]*)`).exec(text)?.[1] ?? '')
