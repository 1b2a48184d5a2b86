import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Page, PageRequest } from '../../../origin/http/page.ts'
import { operations } from '../../../origin/http/operations.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
  for (const name of ['a', 'b', 'c', 'd', 'e']) await origin.group(key, { group_name: name, name })
})
afterAll(() => origin.close())

const groups = async (query: string) => {
  const { status, headers, body } = await origin.core(`list_groups${query}`, { key })
  const names = Array.isArray(body) ? body.map(({ name }) => name).join('') : body.error
  return [status, names, headers.get('x-total-count')]
}

describe('a list', () => {
  it.each([
    ['', 'abcde'],
    ['?page_number=0&page_size=2', 'ab'],
    ['?page_number=2&page_size=2', 'e'],
    ['?page_number=3&page_size=2', ''],
    ['?page_size=3', 'abc'],
    ['?page_number=0', 'abcde'],
    ['?page_number=1', ''],
    ['?page_size=200', 'abcde'],
    ['?page_number=999999999&page_size=200', ''],
    ['?something=else', 'abcde'],
  ])('with %j returns %j and the total count', async (query, names) => {
    expect(await groups(query)).toEqual([200, names, '5'])
  })

  it.each([
    'page_size=0',
    'page_size=201',
    'page_size=-1',
    'page_size=1.5',
    'page_size=1e2',
    'page_size=',
    'page_size=%20',
    'page_number=-1',
    'page_number=one',
    'page_number=0x1',
    'page_number=99999999999999999999',
    'page_number=0&page_size=many',
  ])('is 400 for %s', async (query) => {
    expect(await groups(`?${query}`)).toEqual([400, 'bad_request', null])
  })

  it('names the invalid parameter', async () => {
    const { body } = await origin.core('list_groups?page_size=201', { key })
    expect(body.message).toContain('page_size: expected an integer from 1 to 200')
  })

  it('is paged at every operation that returns an array, and at no other', () => {
    const lists = operations.filter(({ list }) => list).map(({ path }) => path.replace(/.*\//, ''))
    expect(lists.toSorted()).toEqual([
      'list_actions',
      'list_api_keys',
      'list_groups',
      'list_wallets',
      'list_wallets_in_group',
      'transactions',
      'usage',
    ])
  })
})

describe('a page', () => {
  it('creates only its own records', () => {
    const made: number[] = []
    const all = Array.from({ length: 10_000 }, (_, n) => n)
    const page = new PageRequest(10, 13).of(all).map((n) => made.push(n))
    expect([page.total, page.items.length, made]).toEqual([10_000, 3, [10, 11, 12]])
    expect(page).toBeInstanceOf(Page)
  })
})
