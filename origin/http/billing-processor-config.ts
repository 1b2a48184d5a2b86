import { processorConfigResponse } from '../../shared/wire/billing.ts'
import type { Operation } from './operation.ts'
import { requireProcessor } from './require-processor.ts'

export const billingProcessorConfigOperation: Operation = {
  method: 'GET',
  path: '/core/v1/billing/processor_config',
  summary: 'Returns the publishable key of the payment processor.',
  auth: 'none',
  responseSchema: processorConfigResponse,
  statuses: [503],
  handle: async (_given, services) => {
    const { config } = requireProcessor(services)
    return { publishable_key: config.publishableKey }
  },
}
