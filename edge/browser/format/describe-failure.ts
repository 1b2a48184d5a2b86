export type FailureMessage = {
  message: string
  fix: string
  status?: number | undefined
  code?: string | undefined
  requestId?: string | undefined
}

/**
 * Checks the error's fields instead of its class, because scripts that are loaded later have their own copies of the
 * error classes.
 */
export function describeFailure(failure: unknown): FailureMessage {
  if (!(failure instanceof Error)) return UNKNOWN
  const { code, fix, status, requestId } = failure as Partial<FailureMessage>
  if (typeof fix === 'string')
    return { message: sentence(failure.message), fix, status, code, requestId }
  // Browsers use different messages for a module that failed to load.
  if (failure instanceof TypeError && /import|module/i.test(failure.message)) return NOT_LOADED
  return { ...UNKNOWN, message: sentence(failure.message) }
}

export function formatFailure(failure: unknown): string {
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

function sentence(message: string): string {
  const begun = /^[a-z]+ /.test(message) ? message[0]!.toUpperCase() + message.slice(1) : message
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
