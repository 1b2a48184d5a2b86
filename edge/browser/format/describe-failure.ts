export type FailureMessage = {
  message: string
  fix: string
  status?: number | undefined
  code?: string | undefined
  /** For reports to the operator. */
  requestId?: string | undefined
}

/**
 * Checks fields instead of classes, because scripts that are loaded later have their own copies of the error classes.
 */
export function describeFailure(failure: unknown): FailureMessage {
  if (!(failure instanceof Error)) return UNKNOWN
  const { code, fix, status, requestId } = failure as Partial<FailureMessage>
  if (typeof fix === 'string')
    return { message: sentence(failure.message), fix, status, code, requestId }
  // The message for a module that failed to load differs between browsers.
  if (failure instanceof TypeError && /import|module/i.test(failure.message)) return NOT_LOADED
  return { ...UNKNOWN, message: sentence(failure.message) }
}

export function describeRunFailure(failure: unknown): string {
  const { message, fix } = describeFailure(failure)
  return `${message} ${fix}`
}

const UNKNOWN: FailureMessage = {
  message: 'The operation failed.',
  fix: 'Try again. If it fails again, reload the page.',
}
const NOT_LOADED: FailureMessage = {
  message: 'A part of this page could not be loaded.',
  fix: 'Check your connection and reload the page.',
}

/** Capitalizes the first word, unless it is a field name, and adds a missing full stop. */
function sentence(message: string): string {
  const begun = /^[a-z]+ /.test(message) ? message[0]!.toUpperCase() + message.slice(1) : message
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
