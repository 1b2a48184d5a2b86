import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { OpenDatabase } from '../../../../origin/db/open.ts'
import { debtOf } from '../../../../origin/credits/ledger.ts'
import type { PaymentFacts } from '../../../../origin/credits/processor/processor.ts'
import { reconcile } from '../../../../origin/credits/processor/reconcile.ts'
import { type ProcessorDouble, startProcessor } from '../../../doubles/processor/server.ts'
import { onSharedDatabase } from '../../db/shared-database.ts'
import { booksOf, newAccount, originProcess } from '../process.ts'
import { clientOf, paymentsOf } from './paying.ts'

let double: ProcessorDouble
beforeAll(async () => {
  double = await startProcessor()
})
afterAll(() => double.close())

/** What an account has and owes, which the sums of its transfers must bear out. */
async function standingOf(db: OpenDatabase['db'], account: string) {
  const books = await booksOf(db, account)
  expect(books.total).toBe(0)
  expect(books.credited).toBe(books.balance)
  const owed = books.transfers.reduce((sum, { fromAccount, toAccount, cents }) => {
    return (
      sum +
      (fromAccount === debtOf(account) ? cents : 0) -
      (toAccount === debtOf(account) ? cents : 0)
    )
  }, 0)
  return { balance: books.balance, debt: owed }
}

function paymentsHold(database: () => OpenDatabase): void {
  const db = () => database().db
  let account = ''
  beforeEach(() => {
    account = newAccount()
  })
  const shop = (options = {}) => paymentsOf(double, db(), options)
  const stands = () => standingOf(db(), account)
  /** A payment of the account that has settled and is credited. */
  async function paid(cents = 500): Promise<string> {
    const { payments, begin } = shop()
    const { intentId } = await begin(account, cents)
    double.paying.byCard(intentId)
    await payments.reconcile(intentId)
    return intentId
  }
  const factsOf = async (intentId: string) => (await clientOf(double).client.factsOf(intentId))!
  const apply = (facts: PaymentFacts) =>
    reconcile(db(), facts, { starterCents: 0, now: Date.now() })

  it('a payment is credited when it has settled, and not before', async () => {
    const { payments, begin } = shop()
    const { intentId } = await begin(account)
    await payments.reconcile(intentId)
    double.paying.byCrypto(intentId)
    await payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
    double.paying.confirmOnChain(intentId)
    await payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
  })

  it('double credit: a payment that is looked at many times at once by many processes is credited once', async () => {
    const { begin } = shop()
    const { intentId } = await begin(account)
    double.paying.byCard(intentId)
    const looks = Array.from({ length: 12 }, (_, n) =>
      n % 2 === 0
        ? shop().payments.reconcile(intentId)
        : shop().payments.confirm({ accountHash: account }, intentId),
    )
    await Promise.all(looks)
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
  })

  it('a payment of an account that was never heard of gives it its starter credits too', async () => {
    const { payments, begin } = shop({ starterCents: 7 })
    const { intentId } = await begin(account)
    double.paying.byCard(intentId)
    await payments.reconcile(intentId)
    expect((await stands()).balance).toBe(507)
  })

  it('a failed or canceled payment credits nothing, and a second try does', async () => {
    const { payments, begin } = shop()
    const { intentId } = await begin(account)
    double.paying.decline(intentId)
    await payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
    double.paying.byCard(intentId)
    await payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
    const canceled = await begin(account)
    double.paying.cancel(canceled.intentId)
    await payments.reconcile(canceled.intentId)
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
  })

  it('a refund takes its part back, once, however often it is seen', async () => {
    const intentId = await paid()
    double.givingBack.refund(intentId, { amount: 120 })
    double.givingBack.refund(intentId, { amount: 30, status: 'pending' })
    await Promise.all([1, 2, 3].map(() => shop().payments.reconcile(intentId)))
    expect(await stands()).toEqual({ balance: 350, debt: 0 })
  })

  it('a refund that fails is given back', async () => {
    const intentId = await paid()
    const { id } = double.givingBack.refund(intentId, { amount: 120, status: 'pending' })
    await shop().payments.reconcile(intentId)
    expect((await stands()).balance).toBe(380)
    double.givingBack.failRefund(id)
    await shop().payments.reconcile(intentId)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
  })

  it('a refund of credit that is spent leaves debt, which the next payment pays first', async () => {
    const intentId = await paid()
    const { credits, spend } = originProcess(database())
    await spend(account, 400)
    await credits.close()
    double.givingBack.refund(intentId)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 0, debt: 400 })
    await paid(700)
    expect(await stands()).toEqual({ balance: 300, debt: 0 })
  })

  it('a refund of credit that a process has leased is paid by what that process gives back', async () => {
    const intentId = await paid()
    const { credits, spend, live, kill } = originProcess(database())
    await spend(account, 100)
    double.givingBack.refund(intentId)
    await shop({ onTakenBack: (hash: string) => credits.giveBack(hash) }).payments.reconcile(
      intentId,
    )
    live()
    await expect.poll(stands).toEqual({ balance: 0, debt: 100 })
    kill()
    await credits.close()
  })

  it('a dispute takes the payment back, and gives it back when it is won', async () => {
    const intentId = await paid()
    const { id } = double.givingBack.dispute(intentId)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
    double.givingBack.answerDispute(id)
    await shop().payments.reconcile(intentId)
    double.givingBack.win(id)
    await shop().payments.reconcile(intentId)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
  })

  it('a dispute that is lost stays taken back', async () => {
    const intentId = await paid()
    const { id } = double.givingBack.dispute(intentId)
    double.givingBack.lose(id)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
  })

  it('an inquiry takes nothing, until it becomes a dispute', async () => {
    const intentId = await paid()
    const { id } = double.givingBack.dispute(intentId, { inquiry: true })
    await shop().payments.reconcile(intentId)
    expect((await stands()).balance).toBe(500)
    double.givingBack.escalate(id)
    await shop().payments.reconcile(intentId)
    expect((await stands()).balance).toBe(0)
  })

  it('taken twice: a refund and a dispute of one payment take no more than was paid', async () => {
    const intentId = await paid()
    double.givingBack.refund(intentId, { amount: 300 })
    await shop().payments.reconcile(intentId)
    const { id } = double.givingBack.dispute(intentId)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
    double.givingBack.win(id)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 200, debt: 0 })
  })

  it('paid twice: of a dispute that is lost, the part that had been refunded before comes back to us alone', async () => {
    const intentId = await paid(10_000)
    double.givingBack.refund(intentId, { amount: 100 })
    const { id } = double.givingBack.dispute(intentId)
    const open = await factsOf(intentId)
    double.givingBack.lose(id, { reinstated: 100 })
    const lost = await factsOf(intentId)
    for (const facts of [open, lost, open, lost]) {
      await apply(facts)
      expect(await stands()).toEqual({ balance: 0, debt: 0 })
    }
  })

  it('a dispute of which a part is won gives that part back, in whatever order it is read', async () => {
    for (const late of [false, true]) {
      const intentId = await paid()
      const { id } = double.givingBack.dispute(intentId)
      const open = await factsOf(intentId)
      double.givingBack.lose(id, { reinstated: 200 })
      const lost = await factsOf(intentId)
      const before = (await stands()).balance - 500
      for (const facts of late ? [lost, open] : [open, lost]) await apply(facts)
      expect(await stands()).toEqual({ balance: before + 200, debt: 0 })
    }
  })

  it('taken twice: a dispute that returns more later leaves no more room for a refund', async () => {
    const intentId = await paid()
    const { id } = double.givingBack.dispute(intentId)
    double.givingBack.refund(intentId, { amount: 300 })
    double.givingBack.lose(id, { reinstated: 100 })
    const facts = await factsOf(intentId)
    const [dispute] = facts.disputes
    await apply(facts)
    await apply({ ...facts, disputes: [{ ...dispute!, reinstatedCents: 300 }] })
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
  })

  it('what a dispute could not take while a refund had it is taken when the refund fails', async () => {
    const intentId = await paid()
    const { id } = double.givingBack.refund(intentId, { amount: 300, status: 'pending' })
    const dispute = double.givingBack.dispute(intentId)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
    double.givingBack.failRefund(id)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
    double.givingBack.win(dispute.id)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
  })

  it('stale answer: an older reading that comes last undoes nothing', async () => {
    const intentId = await paid()
    const refund = double.givingBack.refund(intentId, { amount: 300, status: 'pending' })
    const dispute = double.givingBack.dispute(intentId)
    const older = await factsOf(intentId)
    double.givingBack.failRefund(refund.id)
    double.givingBack.win(dispute.id)
    const newer = await factsOf(intentId)
    await apply(newer)
    await apply(older)
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
  })

  it('stale answer: readings of every stage in any order come to the same', async () => {
    const stages: PaymentFacts[] = []
    const intentId = await paid()
    const note = async () => void stages.push(await factsOf(intentId))
    await note()
    const first = double.givingBack.refund(intentId, { amount: 200, status: 'pending' })
    await note()
    const dispute = double.givingBack.dispute(intentId)
    await note()
    double.givingBack.failRefund(first.id)
    await note()
    double.givingBack.win(dispute.id)
    await note()
    double.givingBack.refund(intentId, { amount: 150 })
    await note()
    for (let shift = 0; shift < stages.length; shift++) {
      const owner = newAccount()
      const own = `${intentId}x${shift}`
      const of = (facts: PaymentFacts): PaymentFacts => ({
        ...facts,
        intentId: own,
        accountHash: owner,
        refunds: facts.refunds.map((one) => ({ ...one, id: `${one.id}x${shift}` })),
        disputes: facts.disputes.map((one) => ({ ...one, id: `${one.id}x${shift}` })),
      })
      const order = [...stages.slice(shift), ...stages.slice(0, shift).toReversed(), stages.at(-1)!]
      for (const facts of order) await apply(of(facts))
      expect(await standingOf(db(), owner)).toEqual({ balance: 350, debt: 0 })
    }
  })

  it('lost note: a payment whose note was lost in a crash is credited to the account that it names', async () => {
    const { payments } = shop()
    const { client } = clientOf(double)
    const customerId = await client.createCustomer(account)
    const lost = { accountHash: account, customerId, amountCents: 600, writeId: `w${account}` }
    const { intentId } = await client.createIntent(lost)
    double.paying.byCard(intentId)
    expect(await payments.confirm({ accountHash: newAccount() }, intentId)).toEqual({
      state: 'unknown',
    })
    await payments.reconcile(intentId)
    expect(await payments.confirm({ accountHash: account }, intentId)).toEqual({
      state: 'credited',
    })
    expect(await stands()).toEqual({ balance: 600, debt: 0 })
  })

  it('another account’s metadata: a payment that was renamed at the processor stays with who began it', async () => {
    const { payments, begin, logs } = shop()
    const thief = newAccount()
    const { intentId } = await begin(account)
    double.records.intent(intentId).metadata['svc_account'] = thief
    double.paying.byCard(intentId)
    await payments.reconcile(intentId)
    expect(await payments.confirm({ accountHash: thief }, intentId)).toEqual({ state: 'unknown' })
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
    expect(logs).toEqual([{ event: 'payments.account_differs', facts: { intent: intentId } }])
  })

  it('another deployment’s payment, or another currency’s, credits nobody', async () => {
    const { payments } = shop()
    const intent = double.records.createIntent({
      amount: 500,
      currency: 'usd',
      customer: undefined,
      automatic: true,
      metadata: { svc_account: account, svc_deployment: '1:0xother' },
    })
    const yen = double.records.createIntent({
      amount: 500,
      currency: 'jpy',
      customer: undefined,
      automatic: true,
      metadata: { svc_account: account, svc_deployment: '31337:0xab' },
    })
    for (const { id } of [intent, yen]) {
      double.paying.byCard(id)
      await payments.reconcile(id)
      expect(await payments.confirm({ accountHash: account }, id)).toEqual({ state: 'unknown' })
    }
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
  })
}

onSharedDatabase(1, (open) => paymentsHold(() => open(0)))
