/** Authentication of every operation that the app serves, from a table. An operation without a row fails. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../../origin/http/operations.ts'
import type { AccountOperations } from '../../../shared/client/core/account.ts'
import { makeChainSecured } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { EVERY_RIGHT, type Known, POLICY, VALID_REQUESTS } from './valid-requests.ts'

/**
 * Keys that an operation accepts. `master`: only the account's own key. `right`: also a usage key with the permission.
 * `any`: every key of the account, even the account key from before a conversion. `current`: every key except that one.
 * `own`: every current key, which sees what it requested itself. `asks`: a key is required, but may be unknown. `open`: keys are ignored. `signed`:
 * no key, but the signature of an admin wallet in the body (wallet-auth.test.ts).
 */
type Access = 'master' | 'right' | 'any' | 'current' | 'own' | 'asks' | 'open' | 'signed'

const ACCESS: Readonly<Record<string, Access>> = {
  '/get_node_chain_config': 'open',
  '/core/v1/get_node_chain_config': 'open',
  '/core/v1/get_svc_action_ipfs_id': 'open',
  '/core/v1/get_svc_action_wallet': 'open',
  '/core/v1/new_account': 'open',
  '/core/v1/account_exists': 'asks',
  '/core/v1/rotate_account_api_key': 'master',
  '/core/v1/convert_to_chain_secured_account': 'master',
  '/core/v1/create_wallet': 'right',
  '/core/v1/create_wallet_with_signature': 'signed',
  '/core/v1/set_wallet_policy': 'master',
  '/core/v1/set_wallet_policy_with_signature': 'signed',
  '/core/v1/get_wallet_policy': 'current',
  '/core/v1/simulate_signature': 'current',
  '/core/v1/send_transaction': 'right',
  '/core/v1/transactions': 'own',
  '/core/v1/cancel_transaction': 'own',
  '/core/v1/speed_up_transaction': 'own',
  '/core/v1/get_transaction_balances': 'master',
  '/core/v1/get_transaction_defaults': 'master',
  '/core/v1/set_transaction_defaults': 'master',
  '/core/v1/transaction_chains': 'open',
  '/core/v1/get_account': 'master',
  '/core/v1/list_wallets': 'master',
  '/core/v1/list_wallets_in_group': 'right',
  '/core/v1/get_wallet_statement': 'current',
  '/core/v1/add_group': 'right',
  '/core/v1/update_group': 'master',
  '/core/v1/remove_group': 'right',
  '/core/v1/list_groups': 'master',
  '/core/v1/get_group': 'right',
  '/core/v1/add_pkp_to_group': 'right',
  '/core/v1/remove_pkp_from_group': 'right',
  '/core/v1/add_action_to_group': 'right',
  '/core/v1/remove_action_from_group': 'right',
  '/core/v1/add_action': 'master',
  '/core/v1/update_action_metadata': 'master',
  '/core/v1/delete_action': 'master',
  '/core/v1/list_actions': 'master',
  '/core/v1/add_usage_api_key': 'master',
  '/core/v1/add_usage_api_key_with_signature': 'signed',
  '/core/v1/update_usage_api_key': 'master',
  '/core/v1/remove_usage_api_key': 'master',
  '/core/v1/list_api_keys': 'master',
  '/core/v1/svc_action': 'right',
  '/core/v1/audit_log': 'master',
  '/core/v1/billing/balance': 'any',
  '/core/v1/billing/usage': 'any',
  '/core/v1/billing/processor_config': 'open',
  '/core/v1/billing/create_payment_intent': 'any',
  '/core/v1/billing/confirm_payment': 'any',
  '/core/v1/version': 'open',
  '/core/v1/limits': 'open',
}

const CID = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'

let origin: TestOrigin
let known: Known
const keys = { master: '', bare: '', elsewhere: '', removed: '', rotatedAway: '' }
const unfunded = { master: '', bare: '', removed: '' }
const secured = { master: '', usage: '', admin: '' }

beforeAll(async () => {
  origin = await startOrigin()
  const master = await origin.account()
  const wallet = await origin.policyWallet(master, POLICY)
  const group = await origin.group(master, { pkp_ids_permitted: [wallet.pkp_id] })
  const other = await origin.group(master, {})
  const inOther = [other]
  keys.bare = await origin.usageKey(master, {})
  keys.elsewhere = await origin.usageKey(master, {
    manage_ipfs_ids_in_groups: inOther,
    add_pkp_to_groups: inOther,
    remove_pkp_from_groups: inOther,
    execute_in_groups: inOther,
  })
  keys.removed = await origin.usageKey(master, EVERY_RIGHT)
  const removal = { usage_api_key: keys.removed }
  await origin.core('remove_usage_api_key', { key: master, body: removal })
  keys.rotatedAway = master
  const rotated = await origin.core('rotate_account_api_key', { key: master, method: 'POST' })
  keys.master = rotated.body.api_key
  known = {
    group,
    pkpId: wallet.pkp_id,
    cid: CID,
    usageKeyHash: origin.hashOf(keys.bare),
    transaction: await origin.transaction(keys.master, wallet.pkp_id),
  }

  // Enough for three writes: creating two keys, and removing one.
  unfunded.master = await origin.poor(3)
  unfunded.bare = await origin.usageKey(unfunded.master, {})
  unfunded.removed = await origin.usageKey(unfunded.master, EVERY_RIGHT)
  const removed = { usage_api_key: unfunded.removed }
  await origin.core('remove_usage_api_key', { key: unfunded.master, body: removed })

  secured.master = await origin.account()
  await origin.group(secured.master, {})
  secured.usage = await origin.usageKey(secured.master, EVERY_RIGHT)
  secured.admin = (await makeChainSecured(origin, secured.master)).address
})
afterAll(() => origin.close())

it('has a row for every operation, and no other rows', () => {
  const served = operations.map(({ path }) => path).toSorted()
  expect(Object.keys(ACCESS).toSorted()).toEqual(served)
  expect(Object.keys(VALID_REQUESTS).toSorted()).toEqual(served)
})

const allRows = operations.map((operation) => ({
  path: operation.path,
  operation,
  access: ACCESS[operation.path],
}))
const rows = allRows.filter(({ access }) => access !== 'signed')

/** Sends the operation's valid request with a key. */
async function ask({ operation, path }: (typeof rows)[number], key?: string, headers = {}) {
  const { body, query = '' } = VALID_REQUESTS[path]!(known)
  const { method } = operation
  const sent = key === undefined ? {} : { key }
  return origin.call(`${path}${query}`, {
    ...sent,
    headers,
    method,
    ...(body === undefined ? {} : { body }),
  })
}

describe.each(allRows.filter(({ access }) => access === 'signed'))('$path', (row) => {
  it('rejects a key of any kind, because the credential is in the body', async () => {
    for (const key of [keys.master, keys.bare, secured.master, secured.usage, 'nobody']) {
      const answer = await ask(row, key)
      expect([answer.status, answer.body.error]).toEqual([400, 'bad_request'])
      expect(answer.body.fix).toContain('Send neither a key nor X-Wallet-Auth')
    }
  })

  it('returns 422 if nothing is signed, and 400 for invalid JSON', async () => {
    const send = (text: string) => origin.call(row.path, { text, method: 'POST' })
    expect((await send('{}')).status).toBe(422)
    expect((await send('{')).status).toBe(400)
  })
})

describe.each(rows.filter(({ access }) => access === 'open'))('$path', (row) => {
  it('needs no key, and ignores a wrong one', async () => {
    for (const answer of [await ask(row), await ask(row, 'nobody')])
      expect([200, 503]).toContain(answer.status)
  })
})

describe.each(rows.filter(({ access }) => access !== 'open'))('$path', (row) => {
  it('returns 401 without a key', async () => {
    const answer = await ask(row)
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  it.each([
    ['of nobody', () => Buffer.alloc(32, 9).toString('base64')],
    ['that was cut', () => keys.master.slice(0, -6)],
    ['that is the hash of one', () => origin.hashOf(keys.master)],
    ['that was removed', () => keys.removed],
    ['that was rotated away', () => keys.rotatedAway],
  ])('does not accept a key %s', async (_what, key) => {
    for (const answer of [
      await ask(row, key()),
      await ask(row, undefined, { authorization: `Bearer ${key()}` }),
    ]) {
      if (row.access === 'asks') expect([answer.status, answer.body]).toEqual([200, false])
      else expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
    }
  })
})

const guarded = rows.filter(({ access }) => access === 'master' || access === 'right')

describe.each(guarded)('$path', (row) => {
  it('returns 403 for a usage key without permissions', async () => {
    const answer = await ask(row, keys.bare)
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
    expect([answer.body.message, answer.body.fix].every((text) => text !== '')).toBe(true)
  })

  it('returns 403 for a usage key with permissions in another group only', async () => {
    expect((await ask(row, keys.elsewhere)).status).toBe(403)
  })
})

describe.each(rows.filter(({ access }) => access === 'current'))('$path', (row) => {
  it('accepts every key of the account, even without permissions', async () => {
    for (const key of [keys.master, keys.bare]) expect((await ask(row, key)).status).toBe(200)
  })

  it('finds no wallet of another account', async () => {
    const answer = await ask(row, secured.usage)
    expect([answer.status, answer.headers.get('x-svc-error')]).toEqual([
      404,
      'wallet_does_not_exist',
    ])
  })
})

describe.each(rows.filter(({ access }) => access === 'own'))('$path', (row) => {
  it('serves the owner, and shows a usage key only what it requested', async () => {
    expect((await ask(row, keys.master)).status).toBe(200)
    for (const key of [keys.bare, secured.usage]) {
      const answer = await ask(row, key)
      const expected = row.operation.method === 'GET' ? [200, []] : [404, undefined]
      expect([answer.status, answer.body.error === undefined ? answer.body : undefined]).toEqual(
        expected,
      )
    }
  })
})

describe.each([
  ...guarded,
  ...rows.filter(({ access }) => access === 'current' || access === 'own'),
])('$path', (row) => {
  it('returns 403 for the old key of a ChainSecured account', async () => {
    const answer = await ask(row, secured.master)
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
    expect(answer.body.message).toContain('ChainSecured')
  })
})

/** Methods for which the client library sends a transaction. */
const METHODS = [
  'createWallet',
  'setWalletPolicy',
  'addGroup',
  'updateGroup',
  'removeGroup',
  'addPkpToGroup',
  'removePkpFromGroup',
  'addActionToGroup',
  'removeActionFromGroup',
  'addAction',
  'updateActionMetadata',
  'deleteAction',
  'addUsageApiKey',
  'updateUsageApiKey',
  'removeUsageApiKey',
] as const satisfies readonly (keyof AccountOperations | 'setWalletPolicy')[]
const methodOf = (path: string) => METHODS.find((name) => path.endsWith(`/${snakeCase(name)}`))
const snakeCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
/** There is no key to rotate, and nothing left to convert: the account is transferred instead. */
const TRANSFER = ['transferChainSecuredAccountOwnership', 'transferOwnership']
const INSTEAD: Readonly<Record<string, string[]>> = {
  rotateAccountApiKey: TRANSFER,
  convertToChainSecuredAccount: TRANSFER,
}

describe.each(rows.filter(({ operation }) => operation.writes !== undefined))('$path', (row) => {
  it('tells a key with every right in a ChainSecured account what to send, from which wallet and where', async () => {
    const { chain } = origin.services
    for (const key of row.access === 'master'
      ? [secured.master]
      : [secured.master, secured.usage]) {
      const answer = await ask(row, key)
      expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
      for (const fact of [chain.contractAddress, String(chain.chainId), secured.admin])
        expect(answer.body.fix).toContain(fact)
      const told =
        /^Send (\w+) to .*, or call (\w+)\(\) of @svc-run\/client in mode 'sovereign'\.$/.exec(
          answer.body.fix,
        )
      const { writes } = row.operation
      const called: string =
        typeof writes === 'function' ? writes(VALID_REQUESTS[row.path]!(known).body) : writes!
      expect(told?.slice(1)).toEqual(INSTEAD[called] ?? [called, methodOf(row.path)])
    }
  })
})

describe.each(rows.filter(({ access }) => access === 'master'))('$path', (row) => {
  it('returns 403 for a usage key with all permissions', async () => {
    const every = await origin.usageKey(keys.master, EVERY_RIGHT)
    const answer = await ask(row, every)
    expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
    expect(answer.headers.get('x-svc-error')).toBe('not_master_account')
  })
})

/** Operations of the owner that a usage key with `can_read_account` may call. None of them changes anything. */
const READS = [
  '/core/v1/get_transaction_balances',
  '/core/v1/get_transaction_defaults',
  '/core/v1/get_account',
  '/core/v1/list_wallets',
  '/core/v1/list_groups',
  '/core/v1/list_actions',
  '/core/v1/list_api_keys',
  '/core/v1/audit_log',
]

describe.each(rows.filter(({ access }) => access === 'master'))('$path', (row) => {
  const isRead = READS.includes(row.path)
  it(`${isRead ? 'accepts' : 'returns 403 for'} a usage key with can_read_account`, async () => {
    const reader = await origin.usageKey(keys.master, { ...EVERY_RIGHT, can_read_account: true })
    const answer = await ask(row, reader)
    if (isRead) expect([answer.status, row.operation.method]).toEqual([200, 'GET'])
    else expect(answer.headers.get('x-svc-error')).toBe('not_master_account')
  })
})

describe.each(rows.filter(({ operation, access }) => operation.body && access !== 'open'))(
  '$path',
  (row) => {
    it('returns 401 before reading the body, and 400 or 422 before 403', async () => {
      const send = (text: string, key: string) =>
        origin.call(row.path, { text, key, method: 'POST' })
      expect((await send('{', 'nobody')).status).toBe(401)
      expect((await send('{', keys.bare)).status).toBe(400)
      expect((await send('[]', keys.bare)).status).toBe(422)
    })
  },
)

describe.each(rows.filter(({ access }) => access === 'any'))('$path', (row) => {
  it('accepts every key of the account, even without permissions and after a conversion', async () => {
    for (const key of [keys.master, keys.bare, secured.master, secured.usage])
      expect([200, 503]).toContain((await ask(row, key)).status)
  })
})

const charged = rows.filter(
  ({ operation: { writes, isFree }, path }) =>
    (writes !== undefined && !isFree) || path === '/core/v1/svc_action',
)

describe.each(charged)('$path', (row) => {
  it('returns 402 without credits before 403, and 401 or 400 before 402', async () => {
    expect((await ask(row, unfunded.master)).status).toBe(402)
    const answer = await ask(row, unfunded.bare)
    expect([answer.status, answer.body.error]).toEqual([402, 'payment_required'])
    expect((await ask(row, unfunded.removed)).status).toBe(401)
    const broken = { text: '{', key: unfunded.bare, method: 'POST' }
    expect((await origin.call(row.path, broken)).status).toBe(400)
  })
})

describe.each(rows.filter((row) => row.access !== 'open' && !charged.includes(row)))(
  '$path',
  (row) => {
    it('is free of charge: never returns 402', async () => {
      for (const key of [unfunded.master, unfunded.bare])
        expect((await ask(row, key)).status).not.toBe(402)
    })
  },
)

describe('a ChainSecured account', () => {
  it('still exists for its old key', async () => {
    const answer = await origin.core('account_exists', { key: secured.master })
    expect([answer.status, answer.body]).toEqual([200, true])
  })

  it('can still be read by its usage keys, in their groups', async () => {
    const { status } = await origin.call('/core/v1/get_group?group_id=1', { key: secured.usage })
    expect(status).toBe(200)
  })
})
