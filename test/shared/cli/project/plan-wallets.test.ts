import { afterAll, describe, expect, it } from 'vitest'
import { policyOf } from '../../policies/requests.ts'
import { EMPTY, POLICY, removeProjectFolders } from './project-folder.ts'
import {
  ADDRESS,
  project,
  changed,
  held,
  wallet,
  deployed,
  plan,
  steps,
  permissions,
  lines,
} from './deployed-shop.ts'

afterAll(removeProjectFolders)

describe('wallets', () => {
  const tight = { ...POLICY, rules: [{ ...POLICY.rules[0], messages: [{ prefix: 'orders: 1' }] }] }
  const loose = { ...POLICY, rules: [{ ...POLICY.rules[0], messages: 'any' }] }
  const withPolicy = (policy: object) => changed(() => undefined, { 'policy.json': policy })

  it('say that a loosened policy takes effect after its delay, and what it allows', async () => {
    const made = plan(await withPolicy(loose), deployed())
    expect(made.changes[0]!.operation).toMatchObject({
      do: 'set_policy',
      replaces: policyOf(POLICY).hash,
    })
    expect(lines(made)).toContain(
      `    policy ${policyOf(POLICY).hash} becomes ${policyOf(loose).hash} (policy.json), after 1 hour`,
    )
    expect(permissions(made)).toEqual([
      expect.stringMatching(/^- greet: allows messages/),
      expect.stringMatching(/^\+ greet: allows/),
    ])
  })

  it('say that a tightened policy takes effect at once', async () => {
    expect(lines(plan(await withPolicy(tight), deployed()))).toContain('(policy.json), at once')
  })

  it('do not set a policy again that is pending', async () => {
    const pending = {
      policy_hash: policyOf(loose).hash,
      policy: loose,
      effective_at: '2026-01-01T01:00:00Z',
    }
    const state = deployed({
      wallets: [{ ...wallet('treasury', POLICY), held: held(POLICY, { pending }) }, wallet('ops')],
    })
    const made = plan(await withPolicy(loose), state)
    expect(made.changes).toEqual([])
    expect(made.notes).toEqual([
      'the policy policy.json of the wallet shop/treasury takes effect at 2026-01-01 01:00:00Z',
    ])
    const canceled = plan(project, state)
    expect(steps(canceled)).toEqual(['set_policy'])
    expect(lines(canceled)).toContain(`cancels the pending policy ${policyOf(loose).hash}`)
  })

  it('never get a policy after their creation', () => {
    const state = deployed({ wallets: [wallet('treasury'), wallet('ops')] })
    expect(() => plan(project, state)).toThrow(
      `wallets.treasury.policy: the wallet shop/treasury (${ADDRESS.treasury}) was created without a policy`,
    )
  })

  it('keep a policy that the file does not mention', async () => {
    const without = await changed(({ wallets }) => delete wallets.treasury.policy)
    const made = plan(without, deployed())
    expect(made.changes).toEqual([])
    expect(made.notes).toEqual([
      'the wallet shop/treasury has a policy, which the file does not mention and which stays',
    ])
  })

  it('with an immutable policy cannot get another one', () => {
    const policy = { ...POLICY, immutable: true }
    const state = deployed({ wallets: [wallet('treasury', policy), wallet('ops')] })
    expect(() => plan(project, state)).toThrow('is immutable, and differs from policy.json')
  })

  it('that become immutable say so', async () => {
    const made = plan(await withPolicy({ ...POLICY, immutable: true }), deployed())
    expect(permissions(made)).toContain('the policy can never be changed again')
  })

  it('can be wallets that exist, which are neither created nor changed', async () => {
    const existing = await changed(
      ({ wallets }) => (wallets.treasury = { address: ADDRESS.treasury }),
    )
    const state = deployed({
      wallets: [{ ...wallet('treasury', POLICY), name: 'by hand' }, wallet('ops')],
    })
    expect(plan(existing, state)).toEqual({ changes: [], notes: [] })
    expect(() => plan(existing, EMPTY)).toThrow(
      `wallets.treasury.address: the account has no wallet ${ADDRESS.treasury}`,
    )
  })

  it('are never deleted, and several with one name are an error', async () => {
    const without = await changed(({ wallets }) => delete wallets.ops)
    expect(plan(without, deployed(), true)).toEqual({
      changes: [],
      notes: [`the wallet shop/ops (${ADDRESS.ops}) is not in the file; wallets are never deleted`],
    })
    const twice = deployed({ wallets: [...deployed().wallets, wallet('ops')] })
    expect(() => plan(project, twice)).toThrow('Choose one with wallets.ops.address')
  })
})
