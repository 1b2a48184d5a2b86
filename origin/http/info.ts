import { INFO_PATH } from '../../shared/attestation/evidence.ts'
import type { Services } from '../services.ts'
import type { OriginApp } from './operation.ts'

/** `GET /info`: what the machine says of itself, `tcb_info.app_compose` byte for byte as it was measured. */
export function mountInfo(app: OriginApp, { evidence }: Services): void {
  app.get(INFO_PATH, (context) =>
    context.json(evidence.current().info, 200, { 'cache-control': 'no-store' }),
  )
}
