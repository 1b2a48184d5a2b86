import { NoProcessorError } from '../credits/processor/no-processor.ts'
import type { OriginServices } from '../services.ts'

/** @throws {NoProcessorError} */
export function requireProcessor({
  processor,
}: OriginServices): NonNullable<OriginServices['processor']> {
  if (!processor) throw new NoProcessorError()
  return processor
}
