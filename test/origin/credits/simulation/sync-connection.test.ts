import { expect, it } from 'vitest'
import { withFreshDatabase } from './database.ts'

it('returns the rows of every statement as text', async () => {
  const answer = await withFreshDatabase(async (connection) =>
    connection.query(
      `select 1 as one, null as nothing, true as yes; create table t (a int); select 'ä' as a`,
    ),
  )
  expect(answer).toEqual({
    results: [
      {
        rows: [['1', null, 't']],
        names: ['one', 'nothing', 'yes'],
        types: [23, 25, 16],
        command: 'SELECT',
        count: 1,
      },
      { rows: [], names: [], types: [], command: 'CREATE', count: 0 },
      { rows: [['ä']], names: ['a'], types: [25], command: 'SELECT', count: 1 },
    ],
    error: undefined,
  })
})

it('returns an error after the results of the statements before it', async () => {
  await withFreshDatabase(async (connection) => {
    const { results, error } = connection.query('select 1; select 1 / 0; select 2')
    expect(results.map(({ rows }) => rows)).toEqual([[['1']]])
    expect(error).toMatchObject({ message: 'division by zero', code: '22012' })
    expect(connection.query('select 3').results[0]?.rows).toEqual([['3']])
  })
})

it('returns results larger than its buffer', async () => {
  await withFreshDatabase(async (connection) => {
    const text = 'x'.repeat(100_000)
    const { results } = connection.query(`select n, '${text}' from generate_series(1, 20) n`)
    const expected = Array.from({ length: 20 }, (_, index) => [String(index + 1), text])
    expect(results[0]?.rows).toEqual(expected)
  })
})
