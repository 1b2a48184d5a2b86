import { concat, id, toBeHex, type Signer } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fundedKey } from '../chain.ts'
import { hashOf, pkpIdOf, startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'
import { openBatch, type Call } from './batch.ts'
import { attest, NO_POLICY, terms } from './policies.ts'
import type { Attested, PolicyTerms } from './policies.ts'

type Sender = Signer & { address: string }

const DAY = 86_400n
const WALLET = pkpIdOf('policy wallet')
const PLAIN = pkpIdOf('plain wallet')
const LOCKED = pkpIdOf('wallet of an immutable policy')
const HOUR_DELAY = terms('holding', 3_600)
const NEXT = terms('next', 60)

let config: AccountConfig
let admin: Awaited<ReturnType<AccountConfig['newChainSecuredAccount']>>['admin']
/** An account whose admin wallet writes it, and one that payers write. Both have the three wallets. */
let unmanaged: bigint
let managed: bigint
let simulate: Awaited<ReturnType<typeof openBatch>>
/** Time of the last write of the policies. */
let now: bigint

const wallet = (pkpId: string) => [pkpId, pkpIdOf('path'), 'name', 'description']
const creation = (accountHash: bigint, pkpId: string, policy: PolicyTerms): Attested => ({
  accountHash,
  pkpId,
  replaces: NO_POLICY,
  ...policy,
  atOnce: true,
})
const change = (given: Partial<Attested> = {}): Attested => ({
  accountHash: unmanaged,
  pkpId: WALLET,
  replaces: HOUR_DELAY.policyHash,
  ...NEXT,
  atOnce: false,
  ...given,
})
const termsOf = ({ policyHash, changeDelay, isImmutable }: Attested): PolicyTerms => ({
  policyHash,
  changeDelay,
  isImmutable,
})
const setArgs = (of: Attested, signature: string) => [
  of.accountHash,
  of.pkpId,
  of.replaces,
  termsOf(of),
  of.atOnce,
  signature,
]
const NOT_ATTESTED = () => ['PolicyNotAttested', unmanaged, WALLET]

beforeAll(async () => {
  config = await startAccountConfig()
  const opened = await config.newChainSecuredAccount()
  admin = opened.admin
  unmanaged = opened.hash
  managed = await config.newAccount('managed')
  for (const [caller, hash] of [
    [admin, unmanaged],
    [config.payer, managed],
  ] as const) {
    await config.write(caller, 'registerWalletDerivation', hash, ...wallet(PLAIN))
    for (const [pkpId, policy] of [
      [LOCKED, terms('immutable', 0, true)],
      [WALLET, HOUR_DELAY],
    ] as const) {
      const signature = attest(config, creation(hash, pkpId, policy))
      const args = [...wallet(pkpId), policy, signature]
      await config.write(caller, 'registerPolicyWallet', hash, ...args)
    }
  }
  simulate = await openBatch(config)
  now = (await config.read('walletPolicyOf', managed, WALLET)).setAt
})
afterAll(() => config.close())

const setManaged = (of: Partial<Attested>): Call => [
  'setWalletPolicy',
  ...setArgs(change({ accountHash: managed, ...of }), '0x'),
]
const read = (): Call => ['walletPolicyOf', managed, WALLET]
/** Returns the refusal of each call, or its first result. */
const outcomesAt = async (time: bigint, ...calls: Call[]) =>
  (await simulate(calls, { time })).map(({ result, refusal }) => refusal ?? result.toArray(true)[0])
const viewed = (
  holds: PolicyTerms,
  setAt: bigint,
  pending: PolicyTerms = { policyHash: NO_POLICY, changeDelay: 0, isImmutable: false },
  pendingAt = 0n,
) => [
  WALLET,
  holds.policyHash,
  BigInt(holds.changeDelay),
  holds.isImmutable,
  setAt,
  pending.policyHash,
  BigInt(pending.changeDelay),
  pending.isImmutable,
  pendingAt,
]

describe('the policy of a wallet', () => {
  test('holds from its creation on, and views list each wallet that has one', async () => {
    expect((await config.read('walletPolicyOf', managed, WALLET)).toArray()).toEqual(
      viewed(HOUR_DELAY, now),
    )
    for (const hash of [managed, unmanaged]) {
      const listed: { pkpId: string; isImmutable: boolean }[] = await config.read(
        'walletPoliciesOf',
        hash,
      )
      expect(listed.map(({ pkpId, isImmutable }) => [pkpId, isImmutable])).toEqual([
        [LOCKED, true],
        [WALLET, false],
      ])
    }
    expect((await config.read('accountOf', managed)).wallets).toHaveLength(3)
  })

  test('is replaced at once by a tighter one', async () => {
    expect(await outcomesAt(now + 5n, setManaged({ atOnce: true }), read())).toEqual([
      undefined,
      viewed(NEXT, now + 5n),
    ])
  })

  test('is replaced by a looser one after the delay of the policy that holds', async () => {
    expect(await outcomesAt(now + 5n, setManaged({}), read())).toEqual([
      undefined,
      viewed(HOUR_DELAY, now + 5n, NEXT, now + 5n + 3_600n),
    ])
  })

  test('a later change replaces the pending one, and its delay begins anew', async () => {
    const other = terms('another')
    const first = setManaged({})
    const second = setManaged(other)
    expect(await outcomesAt(now + 5n, first, second, read())).toEqual([
      undefined,
      undefined,
      viewed(HOUR_DELAY, now + 5n, other, now + 5n + 3_600n),
    ])
  })

  test('setting the policy that holds, or a tighter one, cancels a pending change', async () => {
    const cancel = setManaged(HOUR_DELAY)
    const tighten = setManaged({ atOnce: true, ...terms('tighter', 7_200) })
    expect(await outcomesAt(now + 5n, setManaged({}), cancel, read())).toEqual([
      undefined,
      undefined,
      viewed(HOUR_DELAY, now + 5n),
    ])
    expect(await outcomesAt(now + 5n, setManaged({}), tighten, read())).toEqual([
      undefined,
      undefined,
      viewed(terms('tighter', 7_200), now + 5n),
    ])
  })

  test('without a delay, a looser one takes effect at once', async () => {
    const none = terms('without delay')
    const loosen = setManaged({ ...NEXT, replaces: none.policyHash })
    const without = setManaged({ ...none, atOnce: true })
    expect(await outcomesAt(now + 5n, without, loosen, read())).toEqual([
      undefined,
      undefined,
      viewed(NEXT, now + 5n),
    ])
  })

  test('rejects terms that no policy has', async () => {
    const refusals = async (policy: PolicyTerms) =>
      Promise.all([
        config.refusal(
          config.payer,
          'registerPolicyWallet',
          managed,
          ...wallet(pkpIdOf('new')),
          policy,
          '0x',
        ),
        config.refusal(
          config.payer,
          'setWalletPolicy',
          ...setArgs(change({ accountHash: managed, ...policy }), '0x'),
        ),
      ])
    const zero = ['InvalidRequest', 'policyHash is zero']
    expect(await refusals({ ...NEXT, policyHash: NO_POLICY })).toEqual([zero, zero])
    const long = ['TooLong', 'changeDelay', 90n * DAY + 1n, 90n * DAY]
    expect(await refusals({ ...NEXT, changeDelay: Number(90n * DAY) + 1 })).toEqual([long, long])
    expect(await refusals({ ...NEXT, changeDelay: Number(90n * DAY) })).toEqual([
      undefined,
      undefined,
    ])
  })

  test('is read and set by the hash of a document whose terms stay the same', async () => {
    const same = change({ accountHash: managed, ...HOUR_DELAY })
    for (const other of [{ changeDelay: 0 }, { isImmutable: true }]) {
      const args = setArgs({ ...same, ...other }, '0x')
      expect(await config.refusal(config.payer, 'setWalletPolicy', ...args)).toEqual([
        'InvalidRequest',
        'these are not the terms of the policy',
      ])
    }
  })

  test('has no view if there is no such wallet or account', async () => {
    const { payer } = config
    expect(await config.refusal(payer, 'walletPolicyOf', managed, PLAIN)).toEqual([
      'WalletHasNoPolicy',
      managed,
      PLAIN,
    ])
    const nowhere = pkpIdOf('nowhere')
    expect(await config.refusal(payer, 'walletPolicyOf', managed, nowhere)).toEqual([
      'WalletDoesNotExist',
      managed,
      nowhere,
    ])
    for (const name of ['walletPolicyOf', 'walletPoliciesOf']) {
      const args = name === 'walletPolicyOf' ? [hashOf('nobody'), WALLET] : [hashOf('nobody')]
      expect(await config.refusal(payer, name, ...args)).toEqual([
        'AccountDoesNotExist',
        hashOf('nobody'),
      ])
    }
  })
})

describe('an admin wallet', () => {
  test('registers a policy wallet and sets its policy with a payer’s attestation', async () => {
    const created = creation(unmanaged, pkpIdOf('new'), NEXT)
    const register = [unmanaged, ...wallet(pkpIdOf('new')), NEXT, attest(config, created)]
    expect(await config.refusal(admin, 'registerPolicyWallet', ...register)).toBeUndefined()
    for (const atOnce of [true, false]) {
      const args = setArgs(change({ atOnce }), attest(config, change({ atOnce })))
      expect(await config.refusal(admin, 'setWalletPolicy', ...args)).toBeUndefined()
    }
  })

  /** Each makes an attestation that does not belong to `change()`. */
  const FORGED: Record<string, () => string> = {
    'missing attestation': () => '0x',
    'attestation for another chain': () =>
      attest({ chainId: config.chainId + 1, address: config.address }, change()),
    'attestation for another contract': () =>
      attest({ chainId: config.chainId, address: config.owner.address }, change()),
    'attestation for another account': () => attest(config, change({ accountHash: managed })),
    'attestation for another wallet': () => attest(config, change({ pkpId: LOCKED })),
    'attestation for another policy': () => attest(config, change(terms('looser', 60))),
    'attestation for another replaced policy': () =>
      attest(config, change({ replaces: id('other') })),
    'attestation for the creation of the wallet': () =>
      attest(config, change({ replaces: NO_POLICY, atOnce: true })),
    'attestation for a shorter delay': () => attest(config, change({ changeDelay: 0 })),
    'attestation for an immutable policy': () => attest(config, change({ isImmutable: true })),
    'attestation for a tightening': () => attest(config, change({ atOnce: true })),
    'attestation by the diamond’s owner': () => attest(config, change(), fundedKey(0)),
    'attestation by the admin wallet itself': () => attest(config, change(), admin.privateKey),
    'cut attestation': () => attest(config, change()).slice(0, -2),
    'lengthened attestation': () => `${attest(config, change())}00`,
  }
  test.each(Object.keys(FORGED))('%s: is rejected', async (forgery) => {
    const args = setArgs(change(), FORGED[forgery]!())
    expect(await config.refusal(admin, 'setWalletPolicy', ...args)).toEqual(NOT_ATTESTED())
  })

  test('delay skipped by a lie about tightening: is rejected', async () => {
    const args = setArgs(change({ atOnce: true }), attest(config, change()))
    expect(await config.refusal(admin, 'setWalletPolicy', ...args)).toEqual(NOT_ATTESTED())
  })

  test('malleable signature: the same attestation with a high s is rejected', async () => {
    const signature = attest(config, change())
    const [r, s, v] = [
      signature.slice(0, 66),
      BigInt(`0x${signature.slice(66, 130)}`),
      Number(`0x${signature.slice(130)}`),
    ]
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const flipped = concat([r, toBeHex(order - s, 32), toBeHex(v === 27 ? 28 : 27)])
    expect(await config.refusal(admin, 'setWalletPolicy', ...setArgs(change(), flipped))).toEqual(
      NOT_ATTESTED(),
    )
    const unsigned = concat([r, toBeHex(s, 32), toBeHex(v - 27)])
    expect(await config.refusal(admin, 'setWalletPolicy', ...setArgs(change(), unsigned))).toEqual(
      NOT_ATTESTED(),
    )
  })

  test('removed payer: its attestations are rejected from then on', async () => {
    const [former, key] = [config.wallet(9), fundedKey(9)]
    const refusal = () =>
      config.refusal(admin, 'setWalletPolicy', ...setArgs(change(), attest(config, change(), key)))
    expect(await refusal()).toEqual(NOT_ATTESTED())
    await config.write(config.owner, 'setApiPayers', [former.address], true)
    expect(await refusal()).toBeUndefined()
    await config.write(config.owner, 'setApiPayers', [former.address], false)
    expect(await refusal()).toEqual(NOT_ATTESTED())
  })

  test('replay after the policy changed: is rejected', async () => {
    const pkpId = pkpIdOf('replayed')
    const [first, second] = [terms('first'), terms('second')]
    const created = attest(config, creation(unmanaged, pkpId, first))
    await config.write(admin, 'registerPolicyWallet', unmanaged, ...wallet(pkpId), first, created)
    const replaced = change({ pkpId, replaces: first.policyHash, ...second, atOnce: true })
    const args = setArgs(replaced, attest(config, replaced))
    await config.write(admin, 'setWalletPolicy', ...args)
    expect(await config.refusal(admin, 'setWalletPolicy', ...args)).toEqual([
      'PolicyChanged',
      unmanaged,
      pkpId,
      second.policyHash,
    ])
    // The attestation of the creation does not bring the first policy back either.
    const back = change({ pkpId, replaces: second.policyHash, ...first, atOnce: true })
    expect(await config.refusal(admin, 'setWalletPolicy', ...setArgs(back, created))).toEqual([
      'PolicyNotAttested',
      unmanaged,
      pkpId,
    ])
  })
})

describe.each(['managed', 'unmanaged'] as const)('in a %s account', (mode) => {
  const hash = () => (mode === 'managed' ? managed : unmanaged)
  const caller = (): Sender => (mode === 'managed' ? config.payer : admin)
  const set = (given: Partial<Attested>, by = caller(), credential = hash()) => {
    const of = change({ accountHash: hash(), ...given })
    const [, ...args] = setArgs(of, attest(config, of))
    return config.refusal(by, 'setWalletPolicy', credential, ...args)
  }
  const register = (pkpId: string, by = caller(), credential = hash()) => {
    const signature = attest(config, creation(hash(), pkpId, NEXT))
    const args = [...wallet(pkpId), NEXT, signature]
    return config.refusal(by, 'registerPolicyWallet', credential, ...args)
  }

  test('usage key: registers policy wallets if it may create wallets, and never changes a policy', async () => {
    const [creator, other] = [hashOf(`${mode} creator`), hashOf(`${mode} other`)]
    const granted = usageKey({ canCreatePkps: true, canCreateGroups: true, canDeleteGroups: true })
    await config.write(caller(), 'setUsageApiKey', hash(), creator, granted)
    await config.write(caller(), 'setUsageApiKey', hash(), other, usageKey())
    expect(await register(pkpIdOf('by key'), caller(), creator)).toBeUndefined()
    expect(await register(pkpIdOf('by key'), caller(), other)).toEqual([
      'NotAllowedToCreatePkps',
      other,
    ])
    expect(await register(WALLET, caller(), creator)).toEqual(['NotAllowedToCreatePkps', creator])
    for (const key of [creator, other])
      for (const atOnce of [true, false])
        expect(await set({ atOnce }, caller(), key)).toEqual(['NotMasterAccount', key])
  })

  test('immutable policy: no change is possible, not even to the same or a tighter one', async () => {
    const immutable = terms('immutable', 0, true)
    for (const policy of [NEXT, immutable, terms('tighter', 0, true)])
      for (const atOnce of [true, false])
        expect(
          await set({ pkpId: LOCKED, replaces: immutable.policyHash, ...policy, atOnce }),
        ).toEqual(['PolicyIsImmutable', hash(), LOCKED])
  })

  test('plain wallet turned into a policy wallet: is rejected', async () => {
    expect(await register(PLAIN)).toEqual(['WalletAlreadyExists', hash(), PLAIN])
    for (const replaces of [NO_POLICY, HOUR_DELAY.policyHash])
      expect(await set({ pkpId: PLAIN, replaces, atOnce: true })).toEqual([
        'WalletHasNoPolicy',
        hash(),
        PLAIN,
      ])
    const nowhere = pkpIdOf('nowhere')
    expect(await set({ pkpId: nowhere, replaces: NO_POLICY, atOnce: true })).toEqual([
      'WalletDoesNotExist',
      hash(),
      nowhere,
    ])
  })

  test('re-registration that skips the delay: is rejected', async () => {
    for (const pkpId of [WALLET, LOCKED])
      expect(await register(pkpId)).toEqual(['WalletAlreadyExists', hash(), pkpId])
  })

  test('policy set or removed through registerWalletDerivation: the policy stays', async () => {
    const snapshot = await config.provider.send('evm_snapshot', [])
    const before = (await config.read('walletPoliciesOf', hash())).toArray(true)
    for (const pkpId of [WALLET, LOCKED, PLAIN])
      await config.write(
        caller(),
        'registerWalletDerivation',
        hash(),
        pkpId,
        pkpIdOf('other path'),
        'other name',
        '',
      )
    expect((await config.read('walletPoliciesOf', hash())).toArray(true)).toEqual(before)
    await config.provider.send('evm_revert', [snapshot])
  })

  test('concurrent change: only one that names the policy that holds is accepted', async () => {
    expect(await set({ replaces: id('an earlier one') })).toEqual([
      'PolicyChanged',
      hash(),
      WALLET,
      HOUR_DELAY.policyHash,
    ])
    expect(await set({})).toBeUndefined()
  })

  test('diamond owner and strangers: neither registers nor changes anything', async () => {
    const outsider: Sender = mode === 'managed' ? admin : config.payer
    const others: Sender[] = [config.owner, config.stranger, outsider]
    for (const other of others) {
      const refusal = ['NoAccountAccess', hash(), other.address]
      expect(await register(pkpIdOf('new'), other)).toEqual(refusal)
      expect(await set({ atOnce: true }, other)).toEqual(refusal)
    }
  })
})

describe('a pending policy', () => {
  /** Time of the block in which the change was scheduled. */
  let setAt: bigint
  let snapshot: string
  beforeAll(async () => {
    snapshot = await config.provider.send('evm_snapshot', [])
    const [name, ...args] = setManaged({})
    await config.write(config.payer, name, ...args)
    setAt = (await config.read('walletPolicyOf', managed, WALLET)).setAt
  })
  afterAll(() => config.provider.send('evm_revert', [snapshot]))
  const replaceNext = (given: Partial<Attested> = {}) =>
    setManaged({ replaces: NEXT.policyHash, ...terms('third'), ...given })

  test('early promotion: does not hold one second before its time', async () => {
    const time = setAt + 3_599n
    const notYet = ['PolicyChanged', managed, WALLET, HOUR_DELAY.policyHash]
    expect(await outcomesAt(time, read(), replaceNext(), replaceNext({ atOnce: true }))).toEqual([
      viewed(HOUR_DELAY, setAt, NEXT, setAt + 3_600n),
      notYet,
      notYet,
    ])
  })

  test('holds from its time on, and is the one that the next change replaces', async () => {
    const time = setAt + 3_600n
    expect(await outcomesAt(time, read(), replaceNext(), read())).toEqual([
      viewed(NEXT, setAt),
      undefined,
      viewed(NEXT, time, terms('third'), time + 60n),
    ])
    expect(await outcomesAt(time, setManaged({}))).toEqual([
      ['PolicyChanged', managed, WALLET, NEXT.policyHash],
    ])
  })

  test('cannot be cancelled once it holds, except by another change with its delay', async () => {
    const time = setAt + 3_600n
    const back = setManaged({ replaces: NEXT.policyHash, ...HOUR_DELAY })
    expect(await outcomesAt(time, back, read())).toEqual([
      undefined,
      viewed(NEXT, time, HOUR_DELAY, time + 60n),
    ])
  })
})

test('a policy that becomes immutable after its delay can be cancelled until then, but not later', async () => {
  const immutable = terms('immutable later', 0, true)
  const snapshot = await config.provider.send('evm_snapshot', [])
  const [name, ...args] = setManaged(immutable)
  await config.write(config.payer, name, ...args)
  const { pendingAt } = await config.read('walletPolicyOf', managed, WALLET)
  const cancel = setManaged(HOUR_DELAY)
  expect(await outcomesAt(pendingAt - 1n, cancel)).toEqual([undefined])
  expect(await outcomesAt(pendingAt, cancel)).toEqual([['PolicyIsImmutable', managed, WALLET]])
  await config.provider.send('evm_revert', [snapshot])
})
