import { processorConfigAnswer } from '../../shared/wire/billing.ts'
import { NoProcessor } from '../credits/no-processor.ts'
import type { Operation } from './operation.ts'

/** The key with which a client speaks to the payment processor. */
export const billingProcessorConfig: Operation = {
  method: 'GET',
  path: '/core/v1/billing/processor_config',
  summary: 'The publishable key of the payment processor.',
  auth: 'none',
  answer: processorConfigAnswer,
  statuses: [503],
  handle: () => Promise.reject(new NoProcessor()),
}
