/** Payments of one origin process at the processor's double, on a shared database. */
import { randomUUID } from 'node:crypto'
import { ProcessorClient } from '../../../../origin/credits/processor/processor-client.ts'
import { Payments } from '../../../../origin/credits/processor/payments.ts'
import type { Processor } from '../../../../origin/credits/processor/processor.ts'
import { abortableSleep } from '../../../../origin/timeout.ts'
import type { OpenDatabase } from '../../../../origin/db/open.ts'
import type { ProcessorDouble } from '../../../doubles/processor/server.ts'

export const DEPLOYMENT = { name: '31337:0xab', live: false }

export function clientOf(
  double: Pick<ProcessorDouble, 'url' | 'keys'>,
  { deployment = DEPLOYMENT, secretKey = double.keys.secret } = {},
) {
  const logs: { event: string; facts: object }[] = []
  const log = (event: string, facts: object = {}) => void logs.push({ event, facts })
  const client = new ProcessorClient({
    secretKey,
    deployment,
    url: double.url,
    sleep: abortableSleep,
    log,
  })
  return { client, logs }
}

export function paymentsOf(
  double: Pick<ProcessorDouble, 'url' | 'keys'>,
  db: OpenDatabase['db'],
  {
    clock,
    processor = clientOf(double).client,
    starterCents = 0,
    onTakenBack = () => {},
  }: {
    clock?: { at: number }
    processor?: Processor
    starterCents?: number
    onTakenBack?: (accountHash: string) => void
  } = {},
) {
  const logs: { event: string; facts: object }[] = []
  const payments = new Payments({
    processor,
    db,
    starterCents,
    now: clock ? () => clock.at : Date.now,
    sleep: abortableSleep,
    log: (event, facts = {}) => void logs.push({ event, facts }),
    onClawback: onTakenBack,
  })
  return {
    payments,
    logs,
    begin: (accountHash: string, amountCents = 500, usageKeyHash?: string) =>
      payments.create({ accountHash, usageKeyHash, amountCents, writeId: randomUUID() }),
  }
}
