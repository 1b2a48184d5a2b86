/**
 * Sends arbitrary input to every operation with various keys. The response must have a known shape, and is never a 500.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyText } from '../../any-text.ts'
import { operations } from '../../../origin/http/operations.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { EVERY_RIGHT, type Known, POLICY, VALID_REQUESTS } from './valid-requests.ts'

const CID = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'
const WORD = `0x${'ab'.repeat(32)}`
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Runs per operation. */
const RUNS = 80

/** Maximum time for a response on a busy machine. A body that stalls the process takes far longer. */
const QUICK_MS = 5_000

let origin: TestOrigin
let master: string
let usage: string
let pkpId: string
beforeAll(async () => {
  origin = await startOrigin()
  master = await origin.account()
  pkpId = (await origin.policyWallet(master, POLICY)).pkp_id
  usage = await origin.usageKey(master, EVERY_RIGHT)
})
afterAll(() => origin.close())

/** Creates objects for one operation, because others may have removed earlier ones. */
async function freshKnown(): Promise<Known> {
  const group = await origin.group(master, {})
  const named = await origin.usageKey(master, {})
  const transaction = await origin.transaction(master, pkpId)
  return { group, pkpId, cid: CID, usageKeyHash: origin.hashOf(named), transaction }
}

/** The key of a request: usually the account's own. */
const keyOf = (who: number) => [master, master, usage, undefined][who]

const LONG = 'x'.repeat(10_240)
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`

/** Values that are almost valid somewhere, or wrong in a way that breaks careless code. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    0,
    -0,
    -1,
    1.5,
    2 ** 53,
    1e300,
    '0',
    '00',
    '0x',
    '0x0',
    '1e3',
    '-1',
    '9007199254740993',
    WORD,
    WORD.slice(0, -1),
    `${WORD}0`,
    WORD.slice(2),
    WORD.toUpperCase(),
    `0x${'0'.repeat(64)}`,
    `0x${'0'.repeat(40)}`,
    CID,
    `${CID}x`,
    LONG,
    'lone \ud800 surrogate',
    'null \u0000 character',
    '\u202e right to left, and 👩‍👩‍👧‍👦',
    '__proto__',
    [],
    {},
    [null],
    Array.from({ length: 51 }, (_, number) => number),
    Array(51).fill(WORD),
    [1, 1, '1'],
    [WORD, WORD],
    [[[[[]]]]],
    { __proto__: null, toString: 1 },
  ),
  anyText({ maxLength: 300 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
)

const FIELDS = [
  ...new Set(
    Object.values(VALID_REQUESTS).flatMap((make) => {
      const { body } = make({
        group: 1,
        pkpId: WORD,
        cid: CID,
        usageKeyHash: WORD,
        transaction: 'tx_1',
      })
      return typeof body === 'object' && body !== null ? Object.keys(body) : []
    }),
  ),
  'id',
  'api_key',
  'cid',
  'cid_hash',
  'wallet_address',
  '__proto__',
  'constructor',
  'toJSON',
]
const mutation = fc.record({
  field: fc.constantFrom(...FIELDS),
  value: odd,
  how: fc.constantFrom('set', 'set', 'set', 'drop', 'inArray'),
})

/** The text of a body: a valid one with some fields changed, or anything at all. */
const bodyText = (valid: () => unknown) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .array(mutation, { minLength: 1, maxLength: 3 })
        .map((changes) => changed(valid(), changes)),
    },
    {
      weight: 2,
      arbitrary: fc.oneof(
        fc.json(),
        odd.map((value) => JSON.stringify(value) ?? ''),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        DEEP,
        `{"name":${DEEP}}`,
        '{"__proto__":{"name":"x"}}',
        '{',
        '\ufeff{}',
      ),
    },
    { weight: 1, arbitrary: anyText() },
  )

type Mutation = typeof mutation extends fc.Arbitrary<infer One> ? One : never

function changed(valid: unknown, changes: Mutation[]): string {
  if (typeof valid !== 'object' || valid === null) return JSON.stringify(changes[0]!.value) ?? ''
  const entries = new Map<string, unknown>(Object.entries(valid))
  for (const { field, value, how } of changes) {
    const before = entries.get(field)
    if (how === 'drop') entries.delete(field)
    else if (how === 'inArray' && Array.isArray(before)) entries.set(field, [...before, value])
    else entries.set(field, value)
  }
  // Serialized by hand, so that a field can be called __proto__.
  const text = [...entries].map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`,
  )
  return `{${text.join()}}`
}

const query = fc.oneof(
  fc.constantFrom(
    '?group_id=1',
    '?group_id=0',
    '?group_id=',
    '?id=1&group_id=2',
    '?page_size=0',
    '?page_size=1e3',
    '?page_number=-1',
    '?group_id=1&group_id=x',
    '?%ff=%',
    '?__proto__=1',
    '?group_id[]=1',
  ),
  fc
    .tuple(fc.constantFrom('group_id', 'id', 'page_size', 'page_number'), anyText())
    .map(([name, value]) => `?${name}=${encodeURIComponent(value.toWellFormed())}`),
)

/** Checks for one of the two shapes of errors, and for the IDs that every response carries. */
function isKnownAnswer({ status, headers, body }: Awaited<ReturnType<TestOrigin['call']>>) {
  expect(headers.get('x-request-id')).toMatch(UUID)
  expect([200, 400, 401, 403, 404, 409, 422]).toContain(status)
  if (status === 200) return
  if (typeof body === 'string') {
    expect([400, 404, 409]).toContain(status)
    expect(headers.get('x-svc-error')).toMatch(/^[a-z_]+$/)
  } else {
    const { reason, ...specified } = body
    expect(reason).toBe(headers.get('x-svc-error') ?? undefined)
    expect(Object.keys(specified).toSorted()).toEqual(['docs_url', 'error', 'fix', 'message'])
    for (const text of Object.values(body)) expect(text).toMatch(/./)
  }
}

async function answersWell(path: string, request: Parameters<TestOrigin['call']>[1]) {
  const began = performance.now()
  isKnownAnswer(await origin.call(path, request))
  expect(performance.now() - began).toBeLessThan(QUICK_MS)
}

const withKey = (key: string | undefined) => (key === undefined ? {} : { key })

/** Executions have their own tests. Billing without a payment processor is 503 for every body. */
const written = operations.filter(
  ({ body, path }) => body && !path.endsWith('/svc_action') && !path.includes('/billing/'),
)

describe('any body', () => {
  it.each(written.map(({ path }) => ({ path })))('$path', async ({ path }) => {
    const known = await freshKnown()
    const valid = () => VALID_REQUESTS[path]!(known).body
    await fc.assert(
      fc.asyncProperty(bodyText(valid), fc.nat(3), async (text, who) => {
        // After a rotation of the key the other runs would get 401, and after a conversion of the account 403.
        const key = /rotate_account|convert_to/.test(path) ? usage : keyOf(who)
        await answersWell(path, { text, method: 'POST', ...withKey(key) })
      }),
      { numRuns: RUNS },
    )
  })
})

const read = operations.filter(({ query: takes, list }) => takes || list)

describe('any parameters', () => {
  it.each(read.map(({ path }) => ({ path })))('$path', async ({ path }) => {
    await fc.assert(
      fc.asyncProperty(query, fc.nat(3), async (sent, who) => {
        await answersWell(`${path}${sent}`, withKey(keyOf(who)))
      }),
      { numRuns: RUNS },
    )
  })
})

it('a field called __proto__ does not affect later requests', async () => {
  const text = '{"__proto__":{"name":"polluted","group_name":"polluted","can_create_groups":true}}'
  const answer = await origin.core('add_group', { text, key: master })
  expect(answer.status).toBe(422)
  expect(({} as { name?: string }).name).toBe(undefined)
})
