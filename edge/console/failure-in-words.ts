/** What to tell a person of a call that failed. */

export type FailureInWords = {
  message: string
  /** What to do about it. */
  fix: string
  status?: number | undefined
  code?: string | undefined
  /** To name to who runs the service. */
  requestId?: string | undefined
}

/** By their fields: the classes of scripts that are loaded later are not those of the ones before. */
export function failureInWords(failure: unknown): FailureInWords {
  if (!(failure instanceof Error)) return UNKNOWN
  const { code, fix, status, requestId } = failure as Partial<FailureInWords>
  if (typeof fix === 'string')
    return { message: sentence(failure.message), fix, status, code, requestId }
  // What a browser says of a script that did not come, each in words of its own.
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

/** Messages of the API begin with a small letter where they name a field, and end without a full stop. */
function sentence(message: string): string {
  const begun = /^[a-z]+ /.test(message) ? message[0]!.toUpperCase() + message.slice(1) : message
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
