import { INFO_PATH } from '../../shared/attestation/evidence.ts'
import { addressOf } from '../keys/keyring.ts'
import type { Services } from '../services.ts'
import type { OriginApp } from './operation.ts'

/**
 * `GET /info`: what the machine says of itself, `tcb_info.app_compose` byte for byte as it was measured; and the wallets
 * that pay for writes, the first of which funds the others. Their keys are in the machine alone, so that nobody else
 * could tell whoever has to fund and to admit them.
 */
export function mountInfo(app: OriginApp, { evidence, keyring, settings }: Services): void {
  const api_payers = Array.from({ length: settings.SVC_PAYERS + 1 }, (_, n) =>
    addressOf(keyring.payerKey(n)),
  )
  app.get(INFO_PATH, (context) => {
    const { info } = evidence.current()
    return context.json({ ...info, api_payers }, 200, { 'cache-control': 'no-store' })
  })
}
