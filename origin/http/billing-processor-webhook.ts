import { PROCESSOR_EVENT_MAX_BYTES } from '../../shared/limits.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../shared/wire/core-routes.ts'
import { eventIntentId } from '../credits/processor/webhook.ts'
import type { OriginServices } from '../services.ts'
import type { OriginApp } from './operation.ts'
import { readRequestBody } from './body/read-body.ts'
import { resolveClientAddress } from './client-address.ts'
import { requireProcessor } from './require-processor.ts'

/**
 * Receives webhook events of the payment processor. Responds with 200 only after the ledger matches the processor's
 * record, so a payment is credited even if the client never confirms it. After any other response, the processor sends
 * the event again.
 */
export function mountProcessorWebhook(app: OriginApp, services: OriginServices): void {
  app.post(PROCESSOR_WEBHOOK_PATH, async (context) => {
    const { payments, config } = requireProcessor(services)
    services.load.requireRoom()
    const holder = services.bodyBudgets.forClient(resolveClientAddress(context))
    const bytes = await readRequestBody(context, { maxBytes: PROCESSOR_EVENT_MAX_BYTES, holder })
    const signature = context.req.header('stripe-signature')
    const { webhookSecrets: secrets, live } = config
    const intentId = await eventIntentId(bytes, signature, { secrets, live, now: services.now })
    if (intentId !== undefined) await payments.reconcile(intentId)
    return context.json({ received: true })
  })
}
