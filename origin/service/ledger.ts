import { randomUUID } from 'node:crypto'
import type { ContractChain } from '../accounts/chain.ts'
import { Audit } from '../credits/audit.ts'
import { Credits } from '../credits/credits.ts'
import { maintainCredits, scheduleAudits } from '../credits/maintenance.ts'
import { startPayments } from '../credits/processor/start-payments.ts'
import type { OpenDatabase } from '../db/open.ts'
import type { OriginProcess } from '../services.ts'
import { abortableSleep } from '../timeout.ts'

export async function startLedger(
  { settings, lifecycle, processId, predecessor, now, monotonic, log }: OriginProcess,
  { db, reports }: OpenDatabase,
  chain: ContractChain,
) {
  const starterCents = settings.SVC_STARTER_CREDITS_CENTS
  const common = { db, starterCents, now, sleep: abortableSleep, log }
  const credits = new Credits({
    ...common,
    reports,
    processId,
    predecessor,
    monotonic,
    newId: randomUUID,
  })
  await credits.recover()
  lifecycle.onClose('credits', () => credits.close())
  lifecycle.onClose('credits tending', maintainCredits(credits, log))
  const audit = new Audit({ db: reports, log })
  lifecycle.onClose('audit', scheduleAudits(audit, log))
  const processor = startPayments({ ...common, settings, chain, credits })
  lifecycle.onClose('payments', () => processor?.stop())
  return { credits, audit, processor }
}
