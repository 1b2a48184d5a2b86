import { NoProcessor } from '../credits/processor/no-processor.ts'
import type { Services } from '../services.ts'

/** @throws {NoProcessor} */
export function requireProcessor({ processor }: Services): NonNullable<Services['processor']> {
  if (!processor) throw new NoProcessor()
  return processor
}
