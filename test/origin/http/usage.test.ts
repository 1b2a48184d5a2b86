/** Statements of charges, as the owner of the account reads them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usageDays } from '../../../origin/db/schema.ts'
import { newAccount } from '../credits/process.ts'
import { makeChainSecured } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

const ECHO = 'function main(params) { return params }'
const ECHO_CID = 'QmPBC1kgsAvqWJyRghpDoK1hS4KWJ92d6SqDKPxeGXQsRP'
const OTHER = 'function main() { return 2 }'
const HEADER = 'day,api_key_hash,key_name,kind,action_cid,operation,quantity,cents\r\n'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

const usage = (key: string, query = '', headers = {}) =>
  origin.core(`billing/usage${query}`, { key, headers })
const today = () => new Date(origin.services.now()).toISOString().slice(0, 10)
const cidOf = async (code: string): Promise<string> =>
  (await origin.core('get_svc_action_ipfs_id', { body: code })).body

/** Inserts charges of past days, as the ledger's writer sums them. */
async function charged(key: string, rows: Partial<typeof usageDays.$inferInsert>[]) {
  const row = { accountHash: origin.hashOf(key), keyHash: origin.hashOf(key), kind: 'execution' }
  const values = rows.map((given) => ({
    subject: ECHO_CID,
    cents: 1,
    quantity: 1,
    ...row,
    ...given,
  }))
  await origin.database.db.insert(usageDays).values(values as (typeof usageDays.$inferInsert)[])
}

describe('a statement', () => {
  it('has a row for each day, key and operation or action, including charges settled just now', async () => {
    const key = await origin.account()
    const group = await origin.group(key, { cid_hashes_permitted: [0] })
    const named = await origin.usageKey(key, { name: 'runner', execute_in_groups: [group] })
    for (const of of [named, named, key]) await origin.run(of, ECHO)
    await origin.run(key, 'throw 1')
    const { status, body, headers } = await usage(key)
    const [master, runner] = [origin.hashOf(key), origin.hashOf(named)]
    const own = { day: today(), api_key_hash: master, key_name: null }
    const action_cid = await cidOf(ECHO)
    const execution = { kind: 'execution', action_cid, operation: null }
    const write = { ...own, kind: 'write', action_cid: null, quantity: 1, cents: 1 }
    const expected = [
      { ...own, ...execution, quantity: 1, cents: 1 },
      { ...write, operation: '/core/v1/add_group' },
      { ...write, operation: '/core/v1/add_usage_api_key' },
      { ...own, ...execution, api_key_hash: runner, key_name: 'runner', quantity: 2, cents: 2 },
    ]
    expect(status).toBe(200)
    expect(headers.get('x-total-count')).toBe('4')
    expect(body).toHaveLength(4)
    expect(body).toEqual(expect.arrayContaining(expected))
  })

  it('adds up with the balance to what the account was given', async () => {
    const key = await origin.poor(20)
    for (const code of [ECHO, OTHER, ECHO]) await origin.run(key, code)
    await origin.group(key, {})
    const sum = (await usage(key)).body.reduce((cents: number, row: any) => cents + row.cents, 0)
    const { balance_cents } = (await origin.core('billing/balance', { key })).body
    expect([sum, sum + balance_cents]).toEqual([4, 20])
  })

  it('lists the newest day first, in the same order each time', async () => {
    const key = await origin.poor(0)
    const days = ['2026-02-01', '2026-02-03', '2026-02-02']
    const subjects = ['QmB', 'QmA', 'QmC']
    await charged(
      key,
      days.flatMap((day) => subjects.map((subject) => ({ day, subject }))),
    )
    const query = '?from=2026-02-01&to=2026-02-03'
    const { body } = await usage(key, query)
    const seen = body.map(({ day, action_cid }: any) => day.slice(-1) + action_cid.slice(-1))
    expect(seen).toEqual(['3A', '3B', '3C', '2A', '2B', '2C', '1A', '1B', '1C'])
    const pages = await Promise.all(
      [0, 1, 2, 3].map((page) => usage(key, `${query}&page_size=4&page_number=${page}`)),
    )
    expect(pages.flatMap((page) => page.body)).toEqual(body)
    expect(pages.map(({ headers }) => headers.get('x-total-count'))).toEqual(Array(4).fill('9'))
  })

  it('covers the last thirty days unless other days are given', async () => {
    const key = await origin.poor(0)
    const ago = (days: number) =>
      new Date(origin.services.now() - days * 86_400_000).toISOString().slice(0, 10)
    await charged(
      key,
      [0, 29, 30, 40].map((days) => ({ day: ago(days) })),
    )
    const daysOf = async (query: string) =>
      (await usage(key, query)).body.map((row: any) => row.day)
    expect(await daysOf('')).toEqual([ago(0), ago(29)])
    expect(await daysOf(`?from=${ago(30)}`)).toEqual([ago(0), ago(29), ago(30)])
    expect(await daysOf(`?to=${ago(30)}`)).toEqual([ago(30), ago(40)])
    expect(await daysOf(`?from=${ago(40)}&to=${ago(40)}`)).toEqual([ago(40)])
  })

  it('covers one key if its hash is given', async () => {
    const key = await origin.poor(10)
    const named = await origin.usageKey(key, {})
    await charged(key, [{ day: today(), keyHash: origin.hashOf(named), cents: 5 }])
    const of = async (hash: string) => (await usage(key, `?key_hash=${hash}`)).body
    const cents = (rows: any[]) => rows.map((row) => row.cents)
    expect(cents(await of(origin.hashOf(named).toUpperCase().replace('0X', '0x')))).toEqual([5])
    expect(cents(await of(origin.hashOf(key)))).toEqual([1])
    expect(await of(newAccount())).toEqual([])
  })

  it('keeps the charges of a removed key, without a name', async () => {
    const key = await origin.poor(10)
    const named = await origin.usageKey(key, { name: 'gone' })
    await charged(key, [{ day: today(), keyHash: origin.hashOf(named) }])
    await origin.core('remove_usage_api_key', { key, body: { usage_api_key: named } })
    const [row] = (await usage(key, `?key_hash=${origin.hashOf(named)}`)).body
    expect([row.key_name, row.cents]).toEqual([null, 1])
  })

  it('can still be read with the old key of an account that became ChainSecured', async () => {
    const key = await origin.account()
    await origin.group(key, {})
    await makeChainSecured(origin, key)
    const charges = (await usage(key)).body.map((row: any) => [row.operation, row.cents])
    expect(charges).toEqual([['/core/v1/add_group', 1]])
  })
})

describe('charges that a key can see', () => {
  it('spying: a usage key sees only its own rows, whichever key it names', async () => {
    const key = await origin.poor(10)
    const named = await origin.usageKey(key, {})
    const [own, master] = [origin.hashOf(named), origin.hashOf(key)]
    await charged(key, [{ day: today(), keyHash: own, cents: 3 }])
    const seen = async (query: string) => {
      const { body, headers } = await usage(named, query)
      return [body.map((row: any) => [row.api_key_hash, row.cents]), headers.get('x-total-count')]
    }
    expect(await seen('')).toEqual([[[own, 3]], '1'])
    expect(await seen(`?key_hash=${own}`)).toEqual([[[own, 3]], '1'])
    expect(await seen(`?key_hash=${master}`)).toEqual([[], '0'])
    expect((await usage(named, `?key_hash=${master}&format=csv`)).body).toBe(HEADER)
  })

  it('spying: rows of another account are not returned', async () => {
    const [key, other] = [await origin.poor(0), await origin.poor(0)]
    await charged(other, [{ day: today() }])
    expect((await usage(key, `?key_hash=${origin.hashOf(other)}`)).body).toEqual([])
  })
})

describe('an invalid query is 400, and names the field', () => {
  it.each([
    ['from=yesterday', 'from'],
    ['from=2026-2-1', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=0000-01-01', 'from'],
    ['to=2026-13-01', 'to'],
    ['to=2026-01-01T00:00:00Z', 'to'],
    ['to=', 'to'],
    ['from=2026-02-02&to=2026-02-01', 'from'],
    ['from=2024-01-01&to=2025-01-01', 'from'],
    ['from=9999-12-31', 'from'],
    ['key_hash=0x12', 'key_hash'],
    ['format=xml', 'format'],
    ['page_size=0', 'page_size'],
  ])('%s', async (query, field) => {
    const { status, body } = await usage(await origin.poor(0), `?${query}`)
    expect([status, body.error, body.message.split(':')[0]]).toEqual([400, 'bad_request', field])
  })

  it('but a complete leap year is accepted', async () => {
    const { status } = await usage(await origin.poor(0), '?from=2024-01-01&to=2024-12-31')
    expect(status).toBe(200)
  })
})

describe('a statement as CSV', () => {
  it('has a header, a line for each row, and a file name', async () => {
    const key = await origin.poor(10)
    await origin.group(key, {})
    await charged(key, [{ day: '2026-02-01', cents: 7, quantity: 3 }])
    const query = '?from=2026-02-01&to=2026-12-31&format=csv'
    const { status, headers, body } = await usage(key, query)
    const hash = origin.hashOf(key)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(headers.get('content-disposition')).toBe('attachment; filename="usage.csv"')
    expect(headers.get('x-total-count')).toBe('2')
    expect(body).toBe(
      `${HEADER}${today()},${hash},,write,,/core/v1/add_group,1,1\r\n2026-02-01,${hash},,execution,${ECHO_CID},,3,7\r\n`,
    )
  })

  it.each([
    [{ accept: 'text/csv' }, '', 'text/csv'],
    [{ accept: 'application/json;q=0.5, text/csv' }, '', 'text/csv'],
    [{ accept: 'text/csv;q=0.5, application/json' }, '', 'application/json'],
    [{ accept: '*/*' }, '', 'application/json'],
    [{}, '', 'application/json'],
    [{ accept: 'text/csv' }, '?format=json', 'application/json'],
    [{ accept: 'application/json' }, '?format=csv', 'text/csv'],
  ])('depends on the request: %j with %j returns %s', async (headers, query, type) => {
    const answer = await usage(await origin.poor(0), query, headers)
    expect(answer.headers.get('content-type')).toMatch(new RegExp(`^${type}`))
  })

  it('is paged like JSON', async () => {
    const key = await origin.poor(0)
    await charged(
      key,
      ['2026-02-01', '2026-02-02'].map((day) => ({ day })),
    )
    const query = '?from=2026-02-01&to=2026-02-02&format=csv&page_size=1&page_number=1'
    const { body, headers } = await usage(key, query)
    expect(body.split('\r\n').map((line: string) => line.split(',')[0])).toEqual([
      'day',
      '2026-02-01',
      '',
    ])
    expect(headers.get('x-total-count')).toBe('2')
  })

  it.each([
    ['=HYPERLINK("https://evil.test","x")', `"'=HYPERLINK(""https://evil.test"",""x"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['a "quoted", name', '"a ""quoted"", name"'],
    ['two\nlines', '"two\nlines"'],
    ['1+1=2', '1+1=2'],
  ])('formula injection: contains a key named %j as the text %j', async (name, cell) => {
    const key = await origin.poor(1)
    const named = await origin.usageKey(key, { name })
    await charged(key, [{ day: '2026-02-01', keyHash: origin.hashOf(named) }])
    const { body } = await usage(key, '?from=2026-02-01&to=2026-02-01&format=csv')
    const line = `2026-02-01,${origin.hashOf(named)},${cell},execution,${ECHO_CID},,1,1\r\n`
    expect(body).toBe(HEADER + line)
  })

  it('has errors as JSON', async () => {
    const { status, body } = await usage(await origin.poor(0), '?format=csv&from=never')
    expect([status, body.error]).toEqual([400, 'bad_request'])
  })
})

it('the statement is documented with both content types and with its parameters', async () => {
  const { body } = await origin.call('/core/v1/openapi.json')
  const { parameters, responses } = body.paths['/core/v1/billing/usage'].get
  expect(parameters.map(({ name }: any) => name)).toEqual([
    'from',
    'to',
    'key_hash',
    'page_number',
    'page_size',
    'format',
  ])
  const { content } = responses[200]
  expect(Object.keys(content)).toEqual([
    'application/json',
    'text/csv; charset=utf-8; header=present',
  ])
  expect(content['text/csv; charset=utf-8; header=present'].example).toContain(HEADER)
})
