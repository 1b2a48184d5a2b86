import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { OpenDatabase } from '../../../../origin/db/open.ts'
import { debtLedgerAccount } from '../../../../origin/credits/ledger.ts'
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

/** Returns an account's balance and debt, and checks them against the sums of its transfers. */
async function standingOf(db: OpenDatabase['db'], account: string) {
  const books = await booksOf(db, account)
  expect(books.total).toBe(0)
  expect(books.credited).toBe(books.balance)
  const owed = books.transfers.reduce((sum, { fromAccount, toAccount, cents }) => {
    return (
      sum +
      (fromAccount === debtLedgerAccount(account) ? cents : 0) -
      (toAccount === debtLedgerAccount(account) ? cents : 0)
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
  /** A payment of the account that is settled and credited. */
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

  it('credits a payment when it has settled, and not before', async () => {
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

  it('double credit: credits a payment once if many processes check it many times at once', async () => {
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

  it('also grants starter credits to an account that first appears with a payment', async () => {
    const { payments, begin } = shop({ starterCents: 7 })
    const { intentId } = await begin(account)
    double.paying.byCard(intentId)
    await payments.reconcile(intentId)
    expect((await stands()).balance).toBe(507)
  })

  it('credits nothing for a failed or canceled payment, but credits a second attempt', async () => {
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

  it('takes back each refund once, however often it is seen', async () => {
    const intentId = await paid()
    double.givingBack.refund(intentId, { amount: 120 })
    double.givingBack.refund(intentId, { amount: 30, status: 'pending' })
    await Promise.all([1, 2, 3].map(() => shop().payments.reconcile(intentId)))
    expect(await stands()).toEqual({ balance: 350, debt: 0 })
  })

  it('returns the cents of a refund that fails', async () => {
    const intentId = await paid()
    const { id } = double.givingBack.refund(intentId, { amount: 120, status: 'pending' })
    await shop().payments.reconcile(intentId)
    expect((await stands()).balance).toBe(380)
    double.givingBack.failRefund(id)
    await shop().payments.reconcile(intentId)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 500, debt: 0 })
  })

  it('records a debt for a refund of spent credit, which the next payment pays first', async () => {
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

  it('takes back refunded credit that a process has leased, once the process returns it', async () => {
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

  it('takes back a disputed payment, and returns it if the dispute is won', async () => {
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

  it('keeps what it took back if the dispute is lost', async () => {
    const intentId = await paid()
    const { id } = double.givingBack.dispute(intentId)
    double.givingBack.lose(id)
    await shop().payments.reconcile(intentId)
    expect(await stands()).toEqual({ balance: 0, debt: 0 })
  })

  it('takes nothing for an inquiry until it becomes a dispute', async () => {
    const intentId = await paid()
    const { id } = double.givingBack.dispute(intentId, { inquiry: true })
    await shop().payments.reconcile(intentId)
    expect((await stands()).balance).toBe(500)
    double.givingBack.escalate(id)
    await shop().payments.reconcile(intentId)
    expect((await stands()).balance).toBe(0)
  })

  it('taken twice: takes no more than was paid for a refund and a dispute of one payment', async () => {
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

  it('paid twice: does not credit the refunded part that is reinstated after a lost dispute', async () => {
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

  it('returns the part of a dispute that is won, in whatever order it is read', async () => {
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

  it('taken twice: leaves no more room for a refund if a dispute reinstates more later', async () => {
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

  it('takes the rest of a dispute once an overlapping refund fails', async () => {
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

  it('stale answer: undoes nothing if an older response is applied last', async () => {
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

  it('stale answer: reaches the same state from the responses of all stages in any order', async () => {
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

  it('lost note: credits a payment to the account in its metadata if its row was lost in a crash', async () => {
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

  it('another account’s metadata: keeps a payment with its creator if the processor’s metadata is changed', async () => {
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

  it('credits nothing for a payment of another deployment or in another currency', async () => {
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
