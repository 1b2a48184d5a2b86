/**
 * Combines two optional signals, such as the client's and the call's, into one that aborts when either of them does.
 */
export function eitherSignal(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}
