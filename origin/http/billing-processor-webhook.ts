import { PROCESSOR_EVENT_MAX_BYTES } from '../../shared/limits.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../shared/wire/core-routes.ts'
import { paymentConcerned } from '../credits/processor/webhook.ts'
import type { Services } from '../services.ts'
import type { OriginApp } from './operation.ts'
import { readBody } from './body/read-body.ts'
import { clientAddress } from './client-address.ts'
import { requireProcessor } from './require-processor.ts'

/**
 * Responds with 200 only after the ledger matches the processor's record, so a payment is credited even if the client
 * never confirms it. After any other response, the processor sends the event again.
 */
export function mountProcessorWebhook(app: OriginApp, services: Services): void {
  app.post(PROCESSOR_WEBHOOK_PATH, async (context) => {
    const { payments, config } = requireProcessor(services)
    services.load.requireRoom()
    const holder = services.bodyRooms.ofClient(clientAddress(context))
    const bytes = await readBody(context, { maxBytes: PROCESSOR_EVENT_MAX_BYTES, holder })
    const signature = context.req.header('stripe-signature')
    const { webhookSecrets: secrets, live } = config
    const intentId = await paymentConcerned(bytes, signature, { secrets, live, now: services.now })
    if (intentId !== undefined) await payments.reconcile(intentId)
    return context.json({ received: true })
  })
}
