import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { compileOptions, InvalidOptionError } from '../expressions/option-expressions.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'

/** @throws {TriggerRejectedError} if an option contains an invalid expression */
export async function requireValidExpressions(options: TriggerOptions | undefined): Promise<void> {
  if (!options) return
  try {
    await compileOptions(options)
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error
    throw new TriggerRejectedError({
      reason: 'field',
      field: `options.${error.option}`,
      problem: error.message,
      fix: 'Send an expression in CEL, such as event.action == "opened".',
    })
  }
}
