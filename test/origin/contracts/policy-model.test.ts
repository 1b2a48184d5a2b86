/**
 * Random sequences of writes over time, in one simulation of several blocks: the contract against a model, and the
 * origin's mirror of the events against the contract's views.
 */
import { toQuantity, type LogDescription } from 'ethers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccountsState } from '../../../origin/accounts/state.ts'
import { policyAt } from '../../../origin/accounts/wallet-policy.ts'
import { accountConfig, pkpIdOf, startAccountConfig } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'
import { attest, NO_POLICY, terms } from './policies.ts'
import { PolicyModel, type PolicyChange } from './policy-model.ts'
import { word } from './slots.ts'

let config: AccountConfig
let accounts: { mode: 'managed' | 'unmanaged'; hash: bigint; sender: string }[]
beforeAll(async () => {
  config = await startAccountConfig()
  const opened = await config.newChainSecuredAccount()
  accounts = [
    { mode: 'managed', hash: await config.newAccount('m'), sender: config.payer.address },
    { mode: 'unmanaged', hash: opened.hash, sender: opened.admin.address },
  ]
})
afterAll(() => config.close())

const WALLETS = ['w0', 'w1', 'w2', 'w3'].map(pkpIdOf)
const POLICIES = [
  terms('without delay'),
  terms('one minute', 60),
  terms('one hour', 3_600),
  terms('one hour too', 3_600),
  terms('immutable', 0, true),
]
/** Errs rarely, so that most writes succeed. */
const mostly = fc.oneof(
  { arbitrary: fc.constant(true), weight: 9 },
  { arbitrary: fc.constant(false), weight: 1 },
)
type Step =
  | { kind: 'wait'; seconds: number }
  | { kind: 'registerWallet'; pkpId: string }
  | ({ kind: 'register' | 'set'; isCurrent: boolean } & PolicyChange)

const change = fc.record({
  pkpId: fc.oneof(
    { arbitrary: fc.constantFrom(WALLETS[0]!, WALLETS[1]!), weight: 5 },
    { arbitrary: fc.constantFrom(...WALLETS), weight: 1 },
  ),
  replaces: fc.constantFrom(...POLICIES.map(({ policyHash }) => policyHash)),
  policy: fc.oneof(
    { arbitrary: fc.constantFrom(...POLICIES.slice(0, 4)), weight: 40 },
    { arbitrary: fc.constant(POLICIES[4]!), weight: 1 },
  ),
  atOnce: fc.boolean(),
  isAttested: mostly,
  /** True if `replaces` is the policy that the model has. */
  isCurrent: mostly,
})
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      // Around the delays, and around their ends.
      seconds: fc.constantFrom(1, 30, 59, 60, 61, 3_599, 3_600, 4_000),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('registerWallet' as const),
      pkpId: fc.constantFrom(WALLETS[0]!, WALLETS[2]!),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.tuple(change, fc.constantFrom(...WALLETS)).map(([of, pkpId]) => ({
      kind: 'register' as const,
      ...of,
      pkpId,
      replaces: NO_POLICY,
      atOnce: true,
    })),
    weight: 3,
  },
  { arbitrary: change.map((of) => ({ kind: 'set' as const, ...of })), weight: 14 },
)

/** Most sequences of changes are of these. */
const setUp = [WALLETS[0]!, WALLETS[1]!].map((pkpId, n): Step => {
  const policy = POLICIES[n + 1]!
  const rest = { replaces: NO_POLICY, atOnce: true, isAttested: true, isCurrent: true }
  return { kind: 'register', pkpId, policy, ...rest }
})

type SimulatedCall = {
  status: string
  returnData: string
  logs: { topics: string[]; data: string }[]
}

test('after random writes over time, contract, model and mirror have the same policies', async () => {
  let sent = 0
  let succeeded = 0
  let promoted = 0
  const start = BigInt((await config.provider.getBlock('latest'))!.timestamp) + 100n
  const steps = fc.array(step, { minLength: 10, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(0, 1), steps, async (index, list) => {
      const { mode, hash, sender } = accounts[index]!
      const model = new PolicyModel()
      const expected: { refusal: string | undefined; time: bigint; view: unknown[][] }[] = []
      const blocks: { time: bigint; data: string[] }[] = []
      let time = start
      for (const one of [...setUp, ...list]) {
        if (one.kind === 'wait') {
          time += BigInt(one.seconds)
          continue
        }
        time += 1n
        const { data, refusal } = write(one, { hash, mode, model, time })
        blocks.push({
          time,
          data: [data, accountConfig.encodeFunctionData('walletPoliciesOf', [hash])],
        })
        expected.push({ refusal, time, view: model.view(time) })
      }

      const simulated = await simulate(sender, blocks)
      const state = await mirrorOf(hash)
      const events: LogDescription[][] = []
      for (const [n, calls] of simulated.entries()) {
        const [written, read] = calls
        const refusal =
          written!.status === '0x1'
            ? undefined
            : accountConfig.parseError(written!.returnData)?.name
        expect(refusal).toBe(expected[n]!.refusal)
        const [views] = accountConfig.decodeFunctionResult('walletPoliciesOf', read!.returnData)
        const seen = views.toArray(true)
        expect(seen).toEqual(expected[n]!.view)
        events.push(written!.logs.map((log) => accountConfig.parseLog(log)!))
        state.apply(events.at(-1)!.map(asEvent))
        expect(mirrored(state, hash, expected[n]!.time)).toEqual(seen)
      }
      // From any block on, applying the events again changes nothing.
      const last = expected.at(-1)!
      for (let from = 0; from < events.length; from++)
        state.apply(events.slice(from).flat().map(asEvent))
      expect(mirrored(state, hash, last.time)).toEqual(last.view)

      sent += expected.length
      succeeded += expected.filter(({ refusal }) => refusal === undefined).length
      promoted += countPromotions(expected)
    }),
    { numRuns: 80 },
  )
  // Guards against a generator whose writes are all rejected, or in which no time passes: it would prove nothing.
  expect(succeeded / sent).toBeGreaterThan(0.5)
  expect(promoted).toBeGreaterThan(20)
})

type Context = { hash: bigint; mode: string; model: PolicyModel; time: bigint }

/** Encodes a step as a write, and applies it to the model. */
function write(one: Exclude<Step, { kind: 'wait' }>, { hash, mode, model, time }: Context) {
  const { pkpId } = one
  const registered = [hash, pkpId, pkpIdOf('path'), '', '']
  if (one.kind === 'registerWallet')
    return {
      data: accountConfig.encodeFunctionData('registerWalletDerivation', registered),
      refusal: model.registerWallet(pkpId),
    }
  const holds = model.view(time).find(([id]) => id === pkpId)?.[1] as string | undefined
  const replaces = one.kind === 'set' && one.isCurrent && holds ? holds : one.replaces
  // Payers write managed accounts themselves, so nothing else attests their changes.
  const isAttested = one.isAttested || mode === 'managed'
  const { policy, atOnce } = one
  const attested = { accountHash: hash, pkpId, replaces, ...policy, atOnce }
  const signature = attest(config, one.isAttested ? attested : { ...attested, atOnce: !atOnce })
  const of = { pkpId, replaces, policy, atOnce, isAttested }
  return one.kind === 'register'
    ? {
        data: accountConfig.encodeFunctionData('registerPolicyWallet', [
          ...registered,
          policy,
          signature,
        ]),
        refusal: model.register(of, time),
      }
    : {
        data: accountConfig.encodeFunctionData('setWalletPolicy', [
          hash,
          pkpId,
          replaces,
          policy,
          atOnce,
          signature,
        ]),
        refusal: model.set(of, time),
      }
}

async function simulate(
  from: string,
  blocks: readonly { time: bigint; data: string[] }[],
): Promise<SimulatedCall[][]> {
  const answer: { calls: SimulatedCall[] }[] = await config.provider.send('eth_simulateV1', [
    {
      blockStateCalls: blocks.map(({ time, data }) => ({
        blockOverrides: { time: toQuantity(time) },
        calls: data.map((one) => ({ from, to: config.address, gas: '0x200000', data: one })),
      })),
    },
    'latest',
  ])
  return answer.map(({ calls }) => calls)
}

const asEvent = ({ name, args }: LogDescription) => ({ name, args: args.toObject(false) })

/** A mirror that has only the creation of the account. */
async function mirrorOf(hash: bigint): Promise<AccountsState> {
  const { managed, adminWallet, name, description, createdAt } = await config.read(
    'accountOf',
    hash,
  )
  const args = { accountHash: hash, managed, adminWallet, name, description, createdAt }
  const state = new AccountsState()
  state.apply([{ name: 'AccountCreated', args }])
  return state
}

/** The policies of the mirror in the form of `walletPoliciesOf`. */
function mirrored(state: AccountsState, hash: bigint, time: bigint): unknown[][] {
  return [...state.account(word(hash))!.wallets.values()].flatMap(({ pkpId, policy: recorded }) => {
    if (!recorded) return []
    const { pending, ...policy } = policyAt(recorded, Number(time))
    return [
      [
        pkpId,
        policy.hash,
        BigInt(policy.changeDelay),
        policy.isImmutable,
        BigInt(policy.setAt),
        pending?.hash ?? NO_POLICY,
        BigInt(pending?.changeDelay ?? 0),
        pending?.isImmutable ?? false,
        BigInt(pending?.effectiveAt ?? 0),
      ],
    ]
  })
}

/** Counts how often a pending policy took effect. */
function countPromotions(all: readonly { view: unknown[][] }[]): number {
  return all.slice(1).reduce((sum, { view }, n) => {
    const before = new Map(all[n]!.view.map((row) => [row[0], row]))
    return sum + view.filter((row) => row[1] === before.get(row[0])?.[5]).length
  }, 0)
}
