/** Combines two optional signals, such as a client's and a call's. Aborts when either does. */
export function eitherSignal(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}
