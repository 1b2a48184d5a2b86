/** Operations that a linked account may be used for, compared with the operations that the origin serves. */
import { describe, expect, it } from 'vitest'
import { permission } from '../../edge/accounts/permitted-operations.ts'
import { operations } from '../../origin/http/operations.ts'

describe('the lists of operations', () => {
  const of = (role: Parameters<typeof permission>[0]) =>
    operations.filter(({ method, path }) => permission(role, method, path) === 'permitted')

  it('let view only read', () => {
    const writes = of('view').filter(
      ({ writes, method, path }) =>
        writes !== undefined || (method === 'POST' && !path.endsWith('/get_svc_action_ipfs_id')),
    )
    expect(writes).toEqual([])
  })

  it('let run add only the execution and the simulation', () => {
    const view = new Set(of('view'))
    const added = of('run').filter((operation) => !view.has(operation))
    expect(added.map(({ path }) => path).toSorted()).toEqual([
      '/core/v1/simulate_signature',
      '/core/v1/svc_action',
    ])
  })

  it('never include what needs the account key or a signature, not even for the owner', () => {
    const kinds = new Set(of('owner').map(({ auth }) => auth))
    expect([...kinds].toSorted()).toEqual(['account_reader', 'key', 'none', 'sent_key'])
  })

  it('refuse operations that they do not name', () => {
    for (const path of ['/core/v1/new_operation', '/core/v1', '/info', '/core/v2/list_groups'])
      expect(permission('owner', 'GET', path)).toBe('never')
    expect(permission('owner', 'POST', '/core/v1/list_groups')).toBe('never')
  })
})
