import { NoProcessor } from '../credits/processor/no-processor.ts'
import type { Services } from '../services.ts'

/** Returns the payment processor. @throws {NoProcessor} if no payment processor is configured */
export function requireProcessor({ processor }: Services): NonNullable<Services['processor']> {
  if (!processor) throw new NoProcessor()
  return processor
}
