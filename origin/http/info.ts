import { INFO_PATH } from '../../shared/attestation/evidence.ts'
import { addressFromPrivateKey } from '../keys/keyring.ts'
import type { OriginServices } from '../services.ts'
import type { OriginApp } from './operation.ts'

/**
 * Serves `GET /info`: `tcb_info.app_compose` exactly as measured, the version and the commit of the software, the
 * environment, and the wallets that pay for writes. The first wallet funds the others. Their addresses must be
 * published here, because the wallets' keys exist only in the machine, and the operator has to fund and register the
 * wallets.
 */
export function mountInfo(
  app: OriginApp,
  { build, evidence, keyring, settings }: OriginServices,
): void {
  const api_payers = Array.from({ length: settings.SVC_PAYERS + 1 }, (_, n) =>
    addressFromPrivateKey(keyring.payerKey(n)),
  )
  app.get(INFO_PATH, (context) => {
    const { info } = evidence.current()
    return context.json({ ...info, ...build, api_payers, environment: settings.SVC_ENV }, 200, {
      'cache-control': 'no-store',
    })
  })
}
