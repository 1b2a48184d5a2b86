/** Describes failed calls for the user. */

export type FailureInWords = {
  message: string
  /** Suggests what to do about it. */
  fix: string
  status?: number | undefined
  code?: string | undefined
  /** ID of the request, to report to the operator. */
  requestId?: string | undefined
}

/** Checks fields rather than classes, because scripts loaded later have their own copies of the error classes. */
export function failureInWords(failure: unknown): FailureInWords {
  if (!(failure instanceof Error)) return UNKNOWN
  const { code, fix, status, requestId } = failure as Partial<FailureInWords>
  if (typeof fix === 'string')
    return { message: sentence(failure.message), fix, status, code, requestId }
  // Browsers differ in the message for a module that failed to load.
  if (failure instanceof TypeError && /import|module/i.test(failure.message)) return NOT_LOADED
  return { ...UNKNOWN, message: sentence(failure.message) }
}

const UNKNOWN: FailureInWords = {
  message: 'That failed.',
  fix: 'Try again; reload the page if it fails again.',
}
const NOT_LOADED: FailureInWords = {
  message: 'A part of this page could not be loaded.',
  fix: 'Check the network, and reload the page.',
}

/** Capitalizes an API message, which may start with a lowercase field name, and adds a missing full stop. */
function sentence(message: string): string {
  const begun = /^[a-z]+ /.test(message) ? message[0]!.toUpperCase() + message.slice(1) : message
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
