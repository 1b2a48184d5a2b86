import { randomUUID } from 'node:crypto'
import type { ContractChain } from '../accounts/chain.ts'
import type { AccountsMirror } from '../accounts/mirror.ts'
import { AuditLog } from '../audit-log/audit-log.ts'
import { Refusals, REFUSALS_FLUSH_MS } from '../audit-log/refusals.ts'
import { WalletWrites } from '../audit-log/wallet-writes.ts'
import type { Database } from '../db/open.ts'
import type { OriginProcess } from '../services.ts'

export function startAuditLog(
  { settings, keyring, composeHash, lifecycle, now, log }: OriginProcess,
  db: Database,
  { chain, mirror }: { chain: ContractChain; mirror: AccountsMirror },
): { auditLog: AuditLog; refusals: Refusals } {
  const refusals = new Refusals({ db, now, newId: randomUUID, log })
  const timer = setInterval(() => void refusals.flush(), REFUSALS_FLUSH_MS)
  lifecycle.onClose('refusals', async () => {
    clearInterval(timer)
    await refusals.close()
  })
  const walletWrites = new WalletWrites({
    db,
    chain,
    mirror,
    payerKey: (number) => keyring.payerKey(number),
    finality: settings.SVC_CHAIN_FINALITY,
    log,
  })
  walletWrites.start()
  lifecycle.onClose('audit log', () => walletWrites.close())
  return { auditLog: new AuditLog({ db, keyring, composeHash, now }), refusals }
}
